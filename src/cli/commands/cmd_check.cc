#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "analysis/counting/event_totals.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "exports/tables/ci.h"
#include "report/compare/baseline.h"
#include "report/compare/check.h"
#include "report/compare/diff.h"
#include "report/compare/regressions.h"
#include "report/compare/why.h"
#include "report/tables/listings.h"

namespace chord::cli {
namespace {

constexpr size_t kGrownLines = 10;
constexpr size_t kGrownPaths = 3;

constexpr const char *kRules =
    "Examples:\n"
    "  chord check --write-baseline=prog.baseline      keep this file beside the source\n"
    "  chord check --baseline=prog.baseline            no function may execute one instruction more\n"
    "  chord check --baseline=prog.baseline --github --junit=check.xml\n"
    "  chord check --why=other.chord prog.chord        two runs that should agree: where they part\n"
    "\n"
    "Without RULES no function, and not the program, may cost more than in the baseline: woven code alone\n"
    "is counted, so that no library and no machine makes a difference.\n"
    "\n"
    "Rules, one a line (# begins a comment):\n"
    "  total <= 1200000              instructions executed\n"
    "  total grows <= 2%             over the baseline\n"
    "  function parse_* <= 5000      each function that matches\n"
    "  function * grows <= 10%\n"
    "  calls parse_* <= 100          how often each is called\n"
    "  inclusive parse <= 90000      each with all it calls; needs a build with --context\n"
    "  callsite main parse <= 5000   each call of parse made in main, likewise\n"
    "  callsite * * grows <= 5%\n"
    "  events loads <= 40000         needs a build with --events=loads; no executable is read\n"
    "  events loads grows <= 1%\n"
    "  mark \"test 12\" calls <= 7     events between two calls of chord_mark()\n"
    "\n"
    "Counts are per run. Exit status: 0 if all holds, 1 if not or on failure.\n";

struct CheckOptions {
  std::string rules, baseline, write_baseline, why, markdown, junit, benchmark, bencher;
  bool github = false;
  InputOptions input, old;
};

// A profile, or a baseline file, with what was made of it.
struct Side {
  analysis::EventTotals events;
  std::optional<analysis::Program> program;
  std::optional<report::Baseline> facts;
  report::Measured measured;
};

void read_profile_side(const InputOptions &input, bool with_program, Side &side) {
  format::Profile profile = read_profiles(input.profiles);
  side.events = analysis::total_events(profile);
  if (with_program) {
    side.program = analysis::load_program(profile, {input.program, false});
    side.measured.program = &*side.program;
    for (const std::string &warning : side.program->warnings) base::warning(warning);
    side.facts = report::baseline_of(*side.program);
  } else {
    for (const std::string &warning : side.events.warnings) base::warning(warning);
  }
  side.measured.events = &side.events;
  side.measured.runs = side.events.runs;
}

void read_baseline_side(const CheckOptions &options, bool with_program, Side &side) {
  if (::access(options.baseline.c_str(), F_OK) != 0) {
    throw base::Error(options.baseline + ": there is no such baseline", "make one with chord check --write-baseline=" + options.baseline + ", and commit it");
  }
  std::string bytes = base::read_file(options.baseline);
  if (!report::looks_like_baseline(bytes)) {
    read_profile_side({{options.baseline}, options.old.program}, with_program, side);
    return;
  }
  side.facts = report::parse_baseline(bytes, options.baseline);
  side.measured.facts = &*side.facts;
  side.measured.runs = side.facts->runs;
}

// ---- verdicts ----

std::string describe(const report::Violation &v) {
  if (!v.problem.empty()) return fmt::format("line {}: cannot be checked: {}  [{}]\n", v.rule->line, v.problem, v.rule->text);
  std::string text = fmt::format("line {}: {}: {:.0f}", v.rule->line, v.what, v.now);
  if (v.rule->grows) {
    text += fmt::format(", was {:.0f}", v.before);
    if (v.before > 0) text += fmt::format(" (+{:.2f}%)", 100 * (v.now - v.before) / v.before);
  }
  return text + fmt::format("  [{}]\n", v.rule->text);
}

// Paths of the function that were taken more often, where both profiles hold paths.
class GrownPaths {
 public:
  GrownPaths(const Side &before, const Side &now) {
    auto counts = [](const Side &side) {
      return side.program && std::any_of(side.program->procedures.begin(), side.program->procedures.end(), [](const auto &p) { return !p.paths.empty(); });
    };
    if (counts(before) && counts(now)) table_ = report::diff_paths(*before.program, *now.program);
  }

  std::string of(const std::string &function) const {
    std::string out;
    size_t shown = 0;
    for (size_t r = 0; r < table_.rows() && shown < kGrownPaths; ++r) {
      if (table_.at(r, 0).text != function || table_.at(r, 5).change <= 0) continue;
      ++shown;
      out += fmt::format("  path {}: {} -> {}\n", table_.at(r, 2).text, table_.at(r, 3).number, table_.at(r, 4).number);
    }
    return out;
  }

 private:
  report::Table table_;
};

exports::Verdict verdict_of(const report::Growth &growth, const GrownPaths &paths) {
  return {base::demangle(growth.function), false, report::describe(growth, kGrownLines) + paths.of(growth.function), growth.file, growth.line};
}

// No rules: nothing may grow.
void compare_all(const Side &before, const Side &now, exports::CheckReport &out) {
  report::Comparison compared = report::compare(*before.facts, *now.facts);
  GrownPaths paths(before, now);
  exports::Verdict total{"total", !compared.total_grew, "", "", 0};
  if (compared.total_grew) total.message = report::describe(report::Growth{"", "", 0, compared.before, compared.now, 0, 0, false, {}}, 0);
  out.verdicts.push_back(std::move(total));
  for (const report::Growth &growth : compared.grown) out.verdicts.push_back(verdict_of(growth, paths));
  uint64_t kept = compared.compared - compared.grown.size();
  if (kept != 0) out.verdicts.push_back({fmt::format("{} functions execute no more than before", kept), true, "", "", 0});
}

void apply_rules(const std::string &file, const std::vector<report::Rule> &rules, const Side &now, const Side *before, exports::CheckReport &out) {
  std::vector<report::Violation> violations = report::check_rules(rules, now.measured, before != nullptr ? &before->measured : nullptr);
  std::map<std::string, report::Growth> grown;
  if (before != nullptr && before->facts && now.facts) {
    for (report::Growth &growth : report::compare(*before->facts, *now.facts).grown) grown.emplace(growth.function, growth);
  }
  std::map<const report::Rule *, exports::Verdict> broken;
  for (const report::Violation &v : violations) {
    exports::Verdict &verdict = broken.try_emplace(v.rule, exports::Verdict{v.rule->text, false, "", "", 0}).first->second;
    verdict.message += describe(v);
    if (!v.problem.empty()) base::error(fmt::format("{}:{}: {}", file, v.rule->line, v.problem), v.hint);
    if (auto found = grown.find(v.what); found != grown.end() && v.rule->grows) {
      verdict.file = found->second.file;
      verdict.line = found->second.line;
      verdict.message += report::describe_contexts(found->second);
    }
  }
  for (const report::Rule &rule : rules) {
    auto found = broken.find(&rule);
    out.verdicts.push_back(found == broken.end() ? exports::Verdict{rule.text, true, "", "", 0} : found->second);
  }
}

void add_measures(const report::Baseline &facts, exports::CheckReport &out) {
  auto each = [&](uint64_t count) { return static_cast<double>(count) / static_cast<double>(facts.runs); };
  uint64_t calls = 0;
  for (const report::BaselineFunction &f : facts.functions) calls += f.calls;
  out.measures.push_back({facts.program, each(facts.instructions), each(calls)});
  for (const report::BaselineFunction &f : facts.functions) {
    // What is less than a hundredth of the whole makes no chart.
    if (f.executed >= facts.instructions / 100) out.measures.push_back({facts.program + "/" + base::demangle(f.name), each(f.executed), each(f.calls)});
  }
}

// ---- writing ----

std::string text_of(const exports::CheckReport &report, bool with_rules) {
  std::string out;
  size_t hold = 0;
  for (const exports::Verdict &v : report.verdicts) {
    out += v.message;
    hold += v.holds ? 1 : 0;
  }
  if (with_rules) return out + fmt::format("{} of {} rules hold\n", hold, report.verdicts.size());
  return hold == report.verdicts.size() ? "nothing costs more than in the baseline\n" : out;
}

std::string lines_text(const Side &before, const Side &now) {
  std::vector<report::LineGrowth> lines;
  for (const report::Growth &g : report::compare(*before.facts, *now.facts).grown) lines.insert(lines.end(), g.lines.begin(), g.lines.end());
  std::stable_sort(lines.begin(), lines.end(), [](const auto &a, const auto &b) { return a.now - a.before > b.now - b.before; });
  if (lines.size() > kGrownLines) lines.resize(kGrownLines);
  std::string out = lines.empty() ? "" : "instructions by line, most grown first:\n";
  for (const report::LineGrowth &l : lines) out += fmt::format("  {}: {:.0f} -> {:.0f}\n", l.place, l.before, l.now);
  return out;
}

void write_files(const CheckOptions &options, const exports::CheckReport &report) {
  auto write = [](const std::string &file, const std::string &text) {
    if (!file.empty()) base::replace_file(file, text);
  };
  write(options.markdown, exports::markdown_summary(report));
  write(options.junit, exports::junit_xml(report));
  write(options.benchmark, exports::benchmark_json(report));
  write(options.bencher, exports::bencher_json(report));
  if (!options.github) return;
  const char *workspace = std::getenv("GITHUB_WORKSPACE");
  print(exports::github_annotations(report, workspace != nullptr ? workspace : std::filesystem::current_path().string()));
  const char *summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary == nullptr || *summary == '\0') return;
  std::ofstream out(summary, std::ios::app);
  if (!(out << exports::markdown_summary(report) << std::flush)) throw base::Error(fmt::format("{}: cannot write the summary", summary));
}

// ---- the three things it does ----

int explain(const CheckOptions &options) {
  format::Profile first = read_profiles({options.why}), second = read_profiles(options.input.profiles);
  analysis::Program a = analysis::load_program(first, {options.input.program, false, false});
  analysis::Program b = analysis::load_program(second, {options.input.program, false, false});
  std::optional<report::Parting> parting = report::find_parting(a, b);
  if (!parting) {
    print("the runs agree: every count is the same\n");
    return 0;
  }
  std::string text = parting->text + "likely cause, likeliest first:\n";
  for (const std::string &cause : report::differing_circumstances(first, second)) text += "  " + cause + "\n";
  for (const std::string &cause : parting->causes) text += "  " + cause + "\n";
  print(text);
  return 1;
}

int check(const CheckOptions &options) {
  std::vector<report::Rule> rules;
  if (!options.rules.empty()) rules = report::parse_rules(base::read_file(options.rules), options.rules);
  bool grows = options.rules.empty() || std::any_of(rules.begin(), rules.end(), [](const report::Rule &r) { return r.grows; });
  bool with_program = options.rules.empty() || !options.write_baseline.empty() ||
                      std::any_of(rules.begin(), rules.end(), [](const report::Rule &r) { return r.needs_program(); });
  bool compares = grows && !options.baseline.empty();
  if (grows && !compares && (options.write_baseline.empty() || !options.rules.empty())) {
    if (!options.rules.empty()) throw base::UsageError(fmt::format("{}: a rule about growth needs --baseline=PROFILE", options.rules), "");
    throw base::UsageError("neither RULES nor --baseline is given", "write one with chord check --write-baseline=FILE");
  }
  Side now, before;
  read_profile_side(options.input, with_program, now);
  if (compares) read_baseline_side(options, with_program, before);
  exports::CheckReport report;
  report.program = now.program ? now.program->name : "program";
  if (!options.rules.empty()) {
    apply_rules(options.rules, rules, now, grows ? &before : nullptr, report);
  } else if (compares) {
    compare_all(before, now, report);
  }
  if (now.facts) add_measures(*now.facts, report);
  bool holds = std::all_of(report.verdicts.begin(), report.verdicts.end(), [](const exports::Verdict &v) { return v.holds; });
  std::string text = options.rules.empty() && !compares ? "" : text_of(report, !options.rules.empty());
  if (!holds && !options.rules.empty() && before.facts && now.facts) text = lines_text(before, now) + text;
  print(text);
  write_files(options, report);
  if (!options.write_baseline.empty()) base::replace_file(options.write_baseline, report::to_text(*now.facts));
  return holds ? 0 : 1;
}

}  // namespace

int cmd_check(std::vector<std::string> args) {
  CLI::App app("Checks counts against a baseline or rules, for CI.", "chord check");
  CheckOptions options;
  std::vector<std::string> inputs;
  app.add_option("RULES", inputs, "file of rules, if any; then profiles, without any the newest *.chord here or below")->type_name("");
  app.add_option("--program", options.input.program, "the program's executable, if it was moved; or which of several")->type_name("PATH");
  app.add_option("--baseline", options.baseline, "baseline file or profile to compare with")->type_name("FILE");
  app.add_option("--baseline-program", options.old.program, "the executable the baseline is of, if not this one")->type_name("PATH");
  app.add_option("--write-baseline", options.write_baseline, "write a baseline file: accept what the program costs now")->type_name("FILE");
  app.add_option("--why", options.why, "another run that should agree: say where and why they part")->type_name("PROFILE");
  app.add_flag("--github", options.github, "annotations for GitHub, and a summary in $GITHUB_STEP_SUMMARY");
  app.add_option("--markdown", options.markdown, "write a summary as Markdown")->type_name("FILE");
  app.add_option("--junit", options.junit, "write the verdicts as JUnit XML")->type_name("FILE");
  app.add_option("--benchmark", options.benchmark, "write the counts for github-action-benchmark")->type_name("FILE");
  app.add_option("--bencher", options.bencher, "write the counts for Bencher")->type_name("FILE");
  app.footer(kRules);
  if (!parse(app, std::move(args))) return 0;
  if (!inputs.empty() && !looks_like_profile(inputs[0])) {
    options.rules = inputs[0];
    inputs.erase(inputs.begin());
  }
  options.input.profiles = std::move(inputs);
  return options.why.empty() ? check(options) : explain(options);
}

}  // namespace chord::cli
