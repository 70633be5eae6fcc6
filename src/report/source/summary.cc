#include "report/source/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/process.h"
#include "report/source/coverage.h"
#include "report/source/plain.h"
#include "report/tables/function_names.h"
#include "report/tables/listings.h"
#include "report/tables/names.h"

namespace chord::report {
namespace {

struct Totals {
  uint64_t functions = 0, with_paths_alone = 0, called = 0, instructions = 0, instructions_never = 0, calls = 0;
};

Totals total(const analysis::Program &program) {
  Totals t;
  for (const analysis::CountedProcedure &p : program.procedures) {
    if (p.counts_chosen_paths()) {  // whether it ran is not known
      ++t.with_paths_alone;
      continue;
    }
    ++t.functions;
    if (p.instructions != 0) ++t.called;
    t.instructions += p.executed.size();
    t.instructions_never +=
        static_cast<uint64_t>(std::count(p.executed.begin(), p.executed.end(), uint64_t{0}));
    t.calls += p.calls;
  }
  return t;
}

std::string percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? "0.0%"
                    : fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string skipped_text(const analysis::Program &program) {
  std::string out = fmt::format("\nleft uninstrumented: {}\n", counted(program.skipped.size(), "function"));
  std::vector<std::pair<uint64_t, std::string>> reasons;
  for (const auto &[reason, times] : skipped_by_reason(program)) reasons.emplace_back(times, reason);
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  for (const auto &[times, reason] : reasons)
    out += fmt::format("  {:>6}  {}\n", group_digits(times), reason);
  return out;
}

const analysis::CountedProcedure *hottest_of(const analysis::Program &program) {
  const analysis::CountedProcedure *hottest = nullptr;
  for (const analysis::CountedProcedure &p : program.procedures) {
    if (p.exact() && p.instructions != 0 && (hottest == nullptr || p.instructions > hottest->instructions)) hottest = &p;
  }
  return hottest;
}

bool has_lines(const analysis::CountedProcedure &p) {
  return std::any_of(p.map->instructions.begin(), p.map->instructions.end(), [](const auto &i) { return i.line != 0; });
}

struct NextStep {
  std::string command, words, why;  // words after the profile
};

// Commands worth typing next, for this profile.
std::vector<NextStep> next_steps(const analysis::Program &program) {
  const analysis::CountedProcedure *hottest = hottest_of(program);
  if (hottest == nullptr) return {{"doctor", "", "no counted function ran: what was left out and why"}};
  const bool lined = has_lines(*hottest);
  if (program.only_ran) {
    return {{"annotate", lined ? "" : "--instructions", "what ran, and what never did"}, {"export lcov", "-o FILE", "the same for coverage viewers"}};
  }
  std::vector<NextStep> steps = {{"annotate", base::shell_word(telling_name(program, *hottest)) + (lined ? "" : " --instructions"),
                                  fmt::format("where {} of all instructions went", percent(hottest->instructions, program.instructions))}};
  if (lined) {
    steps.push_back({"report", "--by=line --top=20", "the hottest lines"});
  } else {
    steps.push_back({"report", "--by=loop --top=20", "the hottest loops; build with -g to see lines"});
  }
  steps.push_back({"html", "", "everything, for the browser"});
  if (!program.skipped.empty()) steps.push_back({"doctor", "", "which functions were left uninstrumented"});
  return steps;
}

// At most `room` columns wide if that can be: else what a command shows goes under it.
std::string next_text(const analysis::Program &program, const InputWords &input, size_t room) {
  std::vector<std::pair<std::string, std::string>> lines;
  size_t width = 0, widest = 0;
  for (const NextStep &step : next_steps(program)) {
    std::string command = "chord " + step.command;
    const bool knows_contexts = step.command == "annotate" || step.command == "report";
    for (const std::string &word : {input.profiles, knows_contexts ? input.context : "", step.words}) command += word.empty() ? "" : " " + word;
    width = std::max(width, display_width(command));
    widest = std::max(widest, display_width(step.why));
    lines.emplace_back(command, step.why);
  }
  std::string out = "next:\n";
  const bool beside = room == 0 || 2 + width + 2 + widest <= room;
  for (const auto &[command, why] : lines) {
    const std::string gap = beside ? std::string(width - display_width(command), ' ') + "  " : "\n      ";
    out += fmt::format("  {}{}{}\n", command, gap, why);
  }
  return out;
}

// The programs of a project, those that executed most first.
std::string parts_text(const analysis::Program &program, size_t top) {
  std::vector<const analysis::ProgramPart *> parts;
  for (const analysis::ProgramPart &part : program.parts) parts.push_back(&part);
  std::stable_sort(parts.begin(), parts.end(), [](const auto *a, const auto *b) { return a->instructions > b->instructions; });
  std::string out;
  for (size_t i = 0; i < std::min(top, parts.size()); ++i) {
    out += fmt::format("  {:>20} instructions  {:>10}  {}\n", group_digits(parts[i]->instructions), counted(parts[i]->runs, "run"),
                       parts[i]->name);
  }
  if (parts.size() > top) out += fmt::format("  … and {}\n", counted(parts.size() - top, "more program"));
  return out;
}

}  // namespace

std::map<std::string, uint64_t> skipped_by_reason(const analysis::Program &program) {
  std::map<std::string, uint64_t> reasons;
  for (const analysis::Skipped &s : program.skipped) {
    std::string_view reason = s.map->skipped;
    if (size_t place = reason.find(": "); reason.starts_with("line ") && place != std::string_view::npos) {
      reason.remove_prefix(place + 2);
    }
    ++reasons[std::string(reason)];
  }
  return reasons;
}

nlohmann::ordered_json json_head(const analysis::Program &program) {
  nlohmann::ordered_json head;
  head["schema"] = 1;
  head["program"] = program.name;
  if (program.only_ran) {
    Totals t = total(program);
    head["coverage"] = {{"instructions", t.instructions}, {"ran", t.instructions - t.instructions_never}};
  } else {
    head["instructions"] = program.instructions;
  }
  head["exact"] = program.exact;
  if (program.parts.size() > 1) {
    head["programs"] = nlohmann::ordered_json::array();
    for (const analysis::ProgramPart &part : program.parts) {
      head["programs"].push_back({{"program", part.name},
                                  {"path", part.path},
                                  {"runs", part.runs},
                                  {"threads", part.threads},
                                  {"instructions", part.instructions},
                                  {"exact", part.exact}});
    }
  }
  head["warnings"] = program.warnings;
  return head;
}

std::string summary_text(const analysis::Program &program, size_t top, const TextStyle &style, const InputWords &input) {
  Totals t = total(program);
  std::string out = fmt::format("{}: {}, {}\n", bold(program.name, style), counted(program.runs, "run"),
                                counted(program.threads, "thread"));
  if (program.parts.size() > 1) out += parts_text(program, top);
  if (!program.only_ran) out += fmt::format("{} executed in {}\n", counted(program.instructions, "instruction"),
                     counted(t.calls, "call"));
  out += fmt::format("{} of {} ran ({}); {} of {} instructions never did ({})\n", group_digits(t.called),
                     counted(t.functions, "function"), percent(t.called, t.functions),
                     group_digits(t.instructions_never), group_digits(t.instructions),
                     percent(t.instructions_never, t.instructions));
  if (t.with_paths_alone != 0) {
    out += fmt::format("not counted: {} of which only chosen paths are (chord paths)\n", counted(t.with_paths_alone, "function"));
  }
  Table hottest = list_functions(program);
  hottest.keep_top(top);
  if (program.only_ran) hottest = as_coverage(std::move(hottest));
  out += "\n" + render_text(hottest, style);
  if (!program.skipped.empty()) out += skipped_text(program);
  out += plain_text(plain_units(program), style.wide ? 0 : style.width);
  return out + dim("\n" + next_text(program, input, style.wide ? 0 : style.width), style);
}

std::string summary_json(const analysis::Program &program, size_t top) {
  Totals t = total(program);
  nlohmann::ordered_json head = json_head(program);
  head["runs"] = program.runs;
  head["threads"] = program.threads;
  head["functions"] = t.functions;
  head["functions_executed"] = t.called;
  if (!program.only_ran) head["calls"] = t.calls;
  head["never"] = t.instructions_never;
  head["skipped"] = nlohmann::ordered_json::array();
  for (const analysis::Skipped &s : program.skipped) {
    head["skipped"].push_back(
        {{"function", s.map->name}, {"unit", s.unit->unit}, {"reason", s.map->skipped}});
  }
  head["plain"] = plain_json(plain_units(program));
  Table hottest = list_functions(program);
  hottest.keep_top(top);
  if (program.only_ran) hottest = as_coverage(std::move(hottest));
  hottest.by = "summary";
  return render_json(hottest, head);
}

}  // namespace chord::report
