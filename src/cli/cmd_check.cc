#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/event_totals.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/options.h"
#include "report/check.h"

namespace chord::cli {
namespace {

constexpr size_t kGrownLines = 10;

constexpr const char *kRules =
    "Rules, one a line (# begins a comment):\n"
    "  total <= 1200000              instructions executed\n"
    "  total grows <= 2%             over the baseline\n"
    "  function parse_* <= 5000      each function that matches\n"
    "  function * grows <= 10%\n"
    "  calls parse_* <= 100          how often each is called\n"
    "  inclusive parse <= 90000      each with all it calls; needs a build with --callsites\n"
    "  callsite main parse <= 5000   each call of parse made in main, likewise\n"
    "  callsite * * grows <= 5%\n"
    "  events loads <= 40000         needs a build with --events=loads; no executable is read\n"
    "  events loads grows <= 1%\n"
    "  mark \"test 12\" calls <= 7     events between two calls of chord_mark()\n"
    "\n"
    "Counts are per run. Exit status: 0 if all rules hold, 1 if not or on failure.\n";

// A profile with what was made of it.
struct Side {
  analysis::EventTotals events;
  std::optional<analysis::Program> program;
  report::Measured measured;
};

void read_side(const InputOptions &input, bool with_program, Side &side) {
  format::Profile profile = read_profiles(input.profiles);
  side.events = analysis::total_events(profile);
  if (with_program) {
    side.program = analysis::load_program(profile, {input.program, false});
    side.measured.program = &*side.program;
    for (const std::string &warning : side.program->warnings) base::warning(warning);
  } else {
    for (const std::string &warning : side.events.warnings) base::warning(warning);
  }
  side.measured.events = &side.events;
  side.measured.runs = side.events.runs;
}

std::string describe(const report::Violation &v) {
  std::string text = fmt::format("line {}: {}: {:.0f}", v.rule->line, v.what, v.now);
  if (v.rule->grows) {
    text += fmt::format(", was {:.0f}", v.before);
    if (v.before > 0) text += fmt::format(" (+{:.2f}%)", 100 * (v.now - v.before) / v.before);
  }
  return text + fmt::format("  [{}]\n", v.rule->text);
}

}  // namespace

int cmd_check(std::vector<std::string> args) {
  CLI::App app("Checks counts against rules, for CI.", "chord check");
  InputOptions input, old;
  std::string rules_file, baseline;
  app.add_option("RULES", rules_file, "file of rules")->required()->type_name("");
  add_input_options(app, input);
  app.add_option("--baseline", baseline, "profile to compare with")->type_name("PROFILE");
  app.add_option("--baseline-program", old.program, "the executable the baseline is of, if not this one")
      ->type_name("PATH");
  app.footer(kRules);
  if (!parse(app, std::move(args))) return 0;
  std::vector<report::Rule> rules = report::parse_rules(base::read_file(rules_file), rules_file);
  bool grows = std::any_of(rules.begin(), rules.end(), [](const report::Rule &r) { return r.grows; });
  bool with_program =
      std::any_of(rules.begin(), rules.end(), [](const report::Rule &r) { return r.needs_program(); });
  if (grows && baseline.empty()) {
    throw base::UsageError(fmt::format("{}: a rule about growth needs --baseline=PROFILE", rules_file), "");
  }
  Side now, before;
  read_side(input, with_program, now);
  if (grows) {
    old.profiles = {baseline};
    read_side(old, with_program, before);
  }
  std::vector<report::Violation> violations =
      report::check_rules(rules, now.measured, grows ? &before.measured : nullptr);
  std::string text;
  for (const report::Violation &v : violations) text += describe(v);
  if (!violations.empty() && grows && with_program) {
    std::string lines = report::grown_lines(now.measured, before.measured, kGrownLines);
    if (!lines.empty()) text += "instructions by line, most grown first:\n" + lines;
  }
  std::set<const report::Rule *> broken;
  for (const report::Violation &v : violations) broken.insert(v.rule);
  text += fmt::format("{} of {} rules hold\n", rules.size() - broken.size(), rules.size());
  print(text);
  return violations.empty() ? 0 : 1;
}

}  // namespace chord::cli
