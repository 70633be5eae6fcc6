#include "exports/tables/ci.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "exports/text_file.h"
#include "exports/xml.h"
#include "report/tables/table.h"

namespace chord::exports {
namespace {

using nlohmann::ordered_json;

std::string escape(const std::string &text, std::string_view also) {
  std::string out;
  for (char c : text) {
    bool special = c == '%' || c == '\r' || c == '\n' || also.find(c) != std::string_view::npos;
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string first_line(const std::string &text) { return text.substr(0, text.find('\n')); }

std::string relative(const std::string &path, std::string root) {
  if (!root.empty() && !root.ends_with('/')) root += '/';
  return !root.empty() && path.starts_with(root) ? path.substr(root.size()) : path;
}

uint64_t failures(const CheckReport &report) {
  return static_cast<uint64_t>(std::count_if(report.verdicts.begin(), report.verdicts.end(), [](const Verdict &v) { return !v.holds; }));
}

// A table cell that cannot break out of its row, and shows markup as it is.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|' || c == '`' || c == '*' || c == '_' || c == '<' || c == '[' || c == '\\') out.push_back('\\');
    out.push_back(c == '\n' || c == '\r' ? ' ' : c);
  }
  return out;
}

// All lines of it in one cell.
std::string cell_of_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) out += (out.empty() ? "" : "<br>") + cell(line);
  }
  return out;
}

std::string dumped(const ordered_json &json) { return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string github_annotations(const CheckReport &report, const std::string &root) {
  TextFile out;
  for (const Verdict &v : report.verdicts) {
    if (v.holds) continue;
    std::string where;
    if (!v.file.empty()) where = "file=" + escape(relative(v.file, root), ":,");
    if (!v.file.empty() && v.line != 0) where += fmt::format(",line={}", v.line);
    if (!where.empty()) where += ",";
    out.line("::error {}title={}::{}", where, escape("chord: " + v.name, ":,"), escape(v.message, ""));
  }
  return out.take();
}

std::string markdown_summary(const CheckReport &report) {
  TextFile out;
  uint64_t bad = failures(report);
  out.line("### {} {}: {} of {} limits hold", bad == 0 ? "✅" : "❌", cell(report.program), report.verdicts.size() - bad, report.verdicts.size());
  out.line("");
  if (bad != 0) {
    out.line("| what | place | why |");
    out.line("| --- | --- | --- |");
    for (const Verdict &v : report.verdicts) {
      if (v.holds) continue;
      std::string place = v.file.empty() ? "" : fmt::format("{}{}", v.file, v.line != 0 ? fmt::format(":{}", v.line) : "");
      out.line("| {} | {} | {} |", cell(v.name), cell(place), cell_of_lines(v.message));
    }
    out.line("");
  }
  if (!report.measures.empty()) out.line("{} instructions a run", report::group_digits(static_cast<uint64_t>(std::llround(report.measures[0].instructions))));
  return out.take();
}

std::string junit_xml(const CheckReport &report) {
  TextFile out;
  uint64_t bad = failures(report);
  out.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
  out.line("<testsuites tests=\"{}\" failures=\"{}\">", report.verdicts.size(), bad);
  out.line("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">", xml_escape("chord check " + report.program),
           report.verdicts.size(), bad);
  for (const Verdict &v : report.verdicts) {
    std::string head = fmt::format("<testcase name=\"{}\" classname=\"{}\"", xml_escape(v.name), xml_escape(report.program));
    if (!v.file.empty()) head += fmt::format(" file=\"{}\" line=\"{}\"", xml_escape(v.file), v.line);
    if (v.holds) {
      out.line("{}/>", head);
    } else {
      out.line("{}><failure message=\"{}\" type=\"regression\">{}</failure></testcase>", head, xml_escape(first_line(v.message)), xml_escape(v.message));
    }
  }
  out.line("</testsuite>");
  out.line("</testsuites>");
  return out.take();
}

std::string benchmark_json(const CheckReport &report) {
  ordered_json out = ordered_json::array();
  for (const Measure &m : report.measures) {
    out.push_back({{"name", m.name}, {"unit", "instructions"}, {"value", m.instructions}, {"range", "0"}, {"extra", fmt::format("calls: {:.0f}", m.calls)}});
  }
  return dumped(out);
}

std::string bencher_json(const CheckReport &report) {
  ordered_json out = ordered_json::object();
  for (const Measure &m : report.measures) {
    out[m.name] = {{"instructions", {{"value", m.instructions}, {"lower_value", m.instructions}, {"upper_value", m.instructions}}},
                   {"calls", {{"value", m.calls}, {"lower_value", m.calls}, {"upper_value", m.calls}}}};
  }
  return dumped(out);
}

}  // namespace chord::exports
