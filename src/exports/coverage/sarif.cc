// SARIF 2.1.0: findings that editors and code hosts show beside the source. Lines that
// never ran, in stretches, and lines that executed more instructions a run than a budget.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/cxx_names.h"
#include "exports/coverage/coverage.h"
#include "exports/exports.h"
#include "report/tables/listings.h"
#include "report/tables/table.h"

namespace chord::exports {
namespace {

using nlohmann::ordered_json;

// Characters that may stand in a path of a URI as they are.
std::string uri_of(const std::string &path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("/-._~+").find(c) != std::string_view::npos);
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

class SarifWriter {
 public:
  SarifWriter(const Coverage &coverage, uint64_t runs, uint64_t budget)
      : coverage_(coverage), runs_(std::max<uint64_t>(runs, 1)), budget_(budget) {}

  std::string run() {
    for (const CoveredFile &file : coverage_.files) {
      add_never(file);
      if (budget_ != 0) add_over_budget(file);
    }
    ordered_json driver{{"name", "chord"}, {"version", CHORD_VERSION}, {"rules", ordered_json::array()}};
    driver["rules"].push_back(rule("never-executed", "These lines hold code that never ran.", "note"));
    driver["rules"].push_back(rule("over-budget", "This line executes more instructions a run than it may.", "warning"));
    ordered_json one{{"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", results_}};
    ordered_json root{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
    root["runs"].push_back(std::move(one));
    return root.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }

 private:
  static ordered_json rule(const char *id, const char *text, const char *level) {
    return {{"id", id}, {"shortDescription", {{"text", text}}}, {"defaultConfiguration", {{"level", level}}}};
  }

  void add(int rule, const std::string &text, const CoveredFile &file, uint32_t first, uint32_t last) {
    constexpr const char *kRules[] = {"never-executed", "over-budget"};
    constexpr const char *kLevels[] = {"note", "warning"};
    ordered_json region{{"startLine", first}};
    if (last != first) region["endLine"] = last;
    ordered_json place{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(file.path)}}}, {"region", region}}}};
    ordered_json result{{"ruleId", kRules[rule]}, {"ruleIndex", rule}, {"level", kLevels[rule]}, {"message", {{"text", text}}}};
    result["locations"].push_back(std::move(place));
    results_.push_back(std::move(result));
  }

  // A stretch of lines with code none of which ran, whatever stands between them.
  void add_never(const CoveredFile &file) {
    for (size_t i = 0; i < file.lines.size();) {
      size_t end = i;
      while (end < file.lines.size() && file.lines[end].executed == 0 && file.lines[end].hits == 0) ++end;
      if (end == i) {
        ++i;
        continue;
      }
      uint32_t first = file.lines[i].line, last = file.lines[end - 1].line;
      std::string where = first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last);
      add(0, fmt::format("{} never ran", where) + function_at(file, first), file, first, last);
      i = end;
    }
  }

  static std::string function_at(const CoveredFile &file, uint32_t line) {
    const CoveredFunction *found = nullptr;
    for (const CoveredFunction &f : file.functions) {
      if (f.line <= line && line <= f.last_line) found = &f;
    }
    if (found == nullptr) return "";
    return fmt::format(" (in {}, called {} times)", base::demangle(found->name), report::group_digits(found->calls));
  }

  void add_over_budget(const CoveredFile &file) {
    for (const CoveredLine &l : file.lines) {
      uint64_t each = l.executed / runs_ + (l.executed % runs_ != 0 ? 1 : 0);
      if (each <= budget_) continue;
      add(1, fmt::format("line {} executes {} instructions a run, {} are allowed", l.line, report::group_digits(each),
                         report::group_digits(budget_)),
          file, l.line, l.line);
    }
  }

  const Coverage &coverage_;
  uint64_t runs_, budget_;
  ordered_json results_ = ordered_json::array();
};

}  // namespace

Exported write_sarif(const Input &input) {
  Coverage coverage = measure_coverage(input.program);
  return {SarifWriter(coverage, input.program.runs, input.budget).run(), std::move(coverage.warnings)};
}

}  // namespace chord::exports
