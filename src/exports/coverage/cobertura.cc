// Cobertura's XML. A package is a folder, a class a source file.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/cxx_names.h"
#include "exports/coverage/coverage.h"
#include "exports/exports.h"
#include "exports/text_file.h"
#include "exports/xml.h"
#include "report/tables/listings.h"

namespace chord::exports {
namespace {

namespace fs = std::filesystem;

class CoberturaWriter {
 public:
  explicit CoberturaWriter(const Coverage &coverage) : coverage_(coverage), root_(common_folder()) {}

  std::string run(uint64_t milliseconds) {
    Share lines, branches;
    std::map<std::string, std::vector<const CoveredFile *>> packages;
    for (const CoveredFile &file : coverage_.files) {
      lines += lines_of(file);
      branches += branches_of(file);
      packages[fs::path(name_of(file)).parent_path().string()].push_back(&file);
    }
    out_.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    out_.line("<coverage line-rate=\"{:.6f}\" branch-rate=\"{:.6f}\" lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" "
         "branches-valid=\"{}\" complexity=\"0\" version=\"chord {}\" timestamp=\"{}\">",
         lines.rate(), branches.rate(), lines.hit, lines.all, branches.hit, branches.all, CHORD_VERSION, milliseconds);
    out_.line("<sources><source>{}</source></sources>", xml_escape(root_.empty() ? "/" : root_));
    out_.line("<packages>");
    for (const auto &[name, files] : packages) package(name, files);
    out_.line("</packages>");
    out_.line("</coverage>");
    return out_.take();
  }

 private:
  std::string common_folder() const {
    fs::path common;
    bool first = true;
    for (const CoveredFile &file : coverage_.files) {
      fs::path folder = fs::path(file.path).parent_path();
      if (first) common = folder;
      first = false;
      auto end = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end()).first;
      fs::path kept;
      for (auto part = common.begin(); part != end; ++part) kept /= *part;
      common = kept;
    }
    return common.string();
  }

  std::string name_of(const CoveredFile &file) const {
    return root_.empty() ? file.path : fs::path(file.path).lexically_relative(root_).string();
  }

  static std::string rates(const Share &lines, const Share &branches) {
    return fmt::format("line-rate=\"{:.6f}\" branch-rate=\"{:.6f}\"", lines.rate(), branches.rate());
  }

  void package(const std::string &name, const std::vector<const CoveredFile *> &files) {
    Share lines, branches;
    for (const CoveredFile *file : files) {
      lines += lines_of(*file);
      branches += branches_of(*file);
    }
    out_.line("<package name=\"{}\" {} complexity=\"0\">", xml_escape(name), rates(lines, branches));
    out_.line("<classes>");
    for (const CoveredFile *file : files) one_class(*file);
    out_.line("</classes>");
    out_.line("</package>");
  }

  void one_class(const CoveredFile &file) {
    std::string name = name_of(file);
    out_.line("<class name=\"{}\" filename=\"{}\" {} complexity=\"0\">", xml_escape(fs::path(name).filename().string()),
         xml_escape(name), rates(lines_of(file), branches_of(file)));
    out_.line("<methods>");
    for (const CoveredFunction &f : file.functions) {
      double rate = f.blocks == 0 ? 0 : static_cast<double>(f.blocks_executed) / static_cast<double>(f.blocks);
      out_.line("<method name=\"{}\" signature=\"\" line-rate=\"{:.6f}\" branch-rate=\"1.0\" complexity=\"0\"><lines>"
           "<line number=\"{}\" hits=\"{}\" branch=\"false\"/></lines></method>",
           xml_escape(base::demangle(f.name)), rate, f.line, f.calls);
    }
    out_.line("</methods>");
    out_.line("<lines>");
    size_t next = 0;
    for (const CoveredLine &l : file.lines) {
      Share outcomes;
      for (; next < file.branches.size() && file.branches[next].line <= l.line; ++next) {
        if (file.branches[next].line == l.line) outcomes.add(file.branches[next].taken != 0);
      }
      covered_line(l, outcomes);
    }
    out_.line("</lines>");
    out_.line("</class>");
  }

  void covered_line(const CoveredLine &l, const Share &outcomes) {
    if (outcomes.all == 0) {
      out_.line("<line number=\"{}\" hits=\"{}\" branch=\"false\"/>", l.line, l.hits);
      return;
    }
    out_.line("<line number=\"{}\" hits=\"{}\" branch=\"true\" condition-coverage=\"{}% ({}/{})\"/>", l.line, l.hits,
         100 * outcomes.hit / outcomes.all, outcomes.hit, outcomes.all);
  }

  const Coverage &coverage_;
  std::string root_;
  TextFile out_;
};

// When the last run ended: the same profile gives the same file.
uint64_t end_of_runs(const format::Profile &profile) {
  uint64_t end = 0;
  for (const format::Segment &segment : profile.segments) end = std::max(end, segment.end_ns);
  return end / 1000000;
}

}  // namespace

Exported write_cobertura(const Input &input) {
  Coverage coverage = measure_coverage(input.program);
  return {CoberturaWriter(coverage).run(end_of_runs(input.profile)), std::move(coverage.warnings)};
}

}  // namespace chord::exports
