#include "html/static_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/cxx_names.h"
#include "html/facts/sources.h"
#include "html/text/text.h"
#include "report/source/summary.h"
#include "report/tables/listings.h"

namespace chord::html {
namespace {

using analysis::CountedProcedure;
using analysis::LineCount;
using report::group_digits;

constexpr size_t kFunctions = 40;        // in the table
constexpr size_t kAnnotated = 5;         // with their source
constexpr uint32_t kLongestSource = 120;  // lines of one of them

std::string percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? "–" : fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string summary(const Facts &facts) {
  const analysis::Program &program = facts.program;
  const Totals t = total(program);
  std::string out = fmt::format("<h1>{}</h1>\n<p><b>{}</b> instructions executed in <b>{}</b> calls; {} run(s), {} thread(s).</p>\n",
                                escape_html(program.name), group_digits(program.instructions), group_digits(t.calls),
                                group_digits(program.runs), group_digits(program.threads));
  out += fmt::format("<p>{} of {} functions ran ({}); {} of {} instructions never did ({}).</p>\n", group_digits(t.called),
                     group_digits(t.functions), percent(t.called, t.functions), group_digits(t.never),
                     group_digits(t.instructions), percent(t.never, t.instructions));
  for (const std::string &warning : program.warnings) out += fmt::format("<p class=\"warn\">{}</p>\n", escape_html(warning));
  return out;
}

std::string functions(const Facts &facts) {
  std::string out =
      "<h2>Hottest functions</h2>\n<table><thead><tr><th scope=\"col\">share</th><th scope=\"col\">executed</th><th scope=\"col\">calls</th>"
      "<th scope=\"col\">instructions</th><th scope=\"col\">function</th><th scope=\"col\">file</th></tr></thead><tbody>\n";
  for (size_t i = 0; i < std::min(kFunctions, facts.order.size()); ++i) {
    const CountedProcedure &p = facts.program.procedures[facts.order[i]];
    if (!p.exact() || p.instructions == 0) continue;
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"name\"><bdi>{}</bdi></td><td class=\"name\"><bdi>{}</bdi></td></tr>\n",
                       percent(p.instructions, facts.program.instructions), group_digits(p.instructions), group_digits(p.calls),
                       group_digits(p.executed.size()), escape_html(base::demangle(p.map->name)),
                       escape_html(report::file_of(p)));
  }
  return out + "</tbody></table>\n";
}

std::string skipped(const Facts &facts) {
  if (facts.program.skipped.empty()) return {};
  std::string out = fmt::format("<h2>Left uninstrumented</h2>\n<p>{} functions:</p>\n<ul>\n",
                                group_digits(facts.program.skipped.size()));
  for (const auto &[reason, times] : report::skipped_by_reason(facts.program)) {
    out += fmt::format("<li>{} × {}</li>\n", group_digits(times), escape_html(reason));
  }
  return out + "</ul>\n";
}

// The lines of a function's own file.
struct Range {
  uint32_t file = UINT32_MAX, first = 0, last = 0;
};

Range range_of(const Facts &facts, const CountedProcedure &p) {
  Range range;
  for (const format::Instruction &i : p.map->instructions) {
    if (i.line == 0) continue;
    const uint32_t file = facts.files.number(*p.unit, i.file);
    if (range.file == UINT32_MAX) range = {file, i.line, i.line};
    if (file != range.file) continue;
    range.first = std::min(range.first, i.line);
    range.last = std::max(range.last, i.line);
  }
  range.last = std::min(range.last, range.first + kLongestSource - 1);
  return range;
}

std::string margin(const LineCount *count) {
  if (count == nullptr) return "";
  if (!count->exact || !count->count_known) return "?";
  if (count->executed == 0) return "never";
  return group_digits(count->count != 0 ? count->count : count->executed);
}

std::string annotated(const Facts &facts, const CountedProcedure &p) {
  const Range range = range_of(facts, p);
  if (range.file == UINT32_MAX) return {};
  std::map<uint32_t, const LineCount *> counts;
  std::vector<uint32_t> with_code;
  for (const LineCount &line : facts.lines.lines) {
    if (line.file != range.file || line.line < range.first || line.line > range.last) continue;
    counts[line.line] = &line;
    with_code.push_back(line.line);
  }
  std::string out;
  for (const Stretch &stretch : read_source(facts.files.files()[range.file], with_code).stretches) {
    for (uint32_t i = 0; i < stretch.lines.size(); ++i) {
      const uint32_t line = stretch.first + i;
      if (line < range.first || line > range.last) continue;
      auto found = counts.find(line);
      out += fmt::format("{:>15} {:>6}  {}\n", margin(found == counts.end() ? nullptr : found->second), line,
                         escape_html(stretch.lines[i]));
    }
  }
  if (out.empty()) return {};
  return fmt::format("<h2><bdi>{}</bdi></h2>\n<p><bdi>{}</bdi></p>\n<pre tabindex=\"0\">{}</pre>\n",
                     escape_html(base::demangle(p.map->name)), escape_html(facts.names[range.file]), out);
}

}  // namespace

std::string static_view(const Facts &facts, const DataOptions &options) {
  std::string out = summary(facts) + functions(facts) + skipped(facts);
  for (size_t i = 0; options.sources && i < std::min(kAnnotated, facts.order.size()); ++i) {
    const CountedProcedure &p = facts.program.procedures[facts.order[i]];
    if (p.exact() && p.instructions != 0) out += annotated(facts, p);
  }
  return out;
}

}  // namespace chord::html
