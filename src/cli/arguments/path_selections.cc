#include "cli/arguments/path_selections.h"

#include <fmt/core.h>

#include <charconv>
#include <map>
#include <optional>

#include "analysis/paths/path_choice.h"
#include "analysis/paths/path_split.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/trace_input.h"

namespace chord::cli {
namespace {

using Kind = analysis::ChoiceRule::Kind;

constexpr const char *kSelectExamples =
    "Examples:\n"
    "  chord paths select --top=20 -o hot.paths       those that ran most instructions\n"
    "  chord paths select --uncovered -o left.paths   those that did not run\n"
    "  chord paths select --touching=parse.c:120      those that run through a line\n"
    "  chord paths select --random=3 --seed=1         three of each function\n"
    "  chord --paths=hot.paths gcc -O2 prog.c -o prog\n"
    "\n"
    "The file holds numbers of paths of this build. The same compiler, options and source give\n"
    "the same numbers; a function that changed is refused by name when it is used.\n";

constexpr const char *kSplitExamples =
    "Examples:\n"
    "  chord paths split -n 16 prog.chord -o part      part.1 … part.16: all paths that can be taken\n"
    "  chord paths split -n 4 prog.chord --selection=hot.paths -o hot\n"
    "  chord --paths=part.3 gcc -O2 prog.c -o prog3    one build for each instance\n"
    "  chord paths prog*.chord                         what all of them counted\n"
    "\n"
    "Paths that begin alike stay together, and each part costs about the same by the counts\n"
    "of the profile, which must be of a build with --paths.\n";

bool has_paths(const analysis::Program &program) {
  for (const analysis::CountedProcedure &p : program.procedures) {
    if (analysis::counts_paths(*p.map)) return true;
  }
  return false;
}

void set_line(const std::string &place, analysis::ChoiceRule &rule) {
  size_t colon = place.rfind(':');
  std::string line = colon == std::string::npos ? "" : place.substr(colon + 1);
  auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), rule.line);
  if (failed != std::errc{} || end != line.data() + line.size() || colon == 0) {
    throw base::UsageError(fmt::format("--touching={}: not FILE:LINE", place));
  }
  rule.kind = Kind::touching;
  rule.file = place.substr(0, colon);
}

std::string describe(const analysis::ChoiceRule &rule) {
  switch (rule.kind) {
    case Kind::executed: return "all that ran";
    case Kind::top: return fmt::format("the {} that ran most instructions", rule.count);
    case Kind::uncovered: return "all that did not run";
    case Kind::touching: return fmt::format("all through {}:{}", rule.file, rule.line);
    case Kind::random: return fmt::format("{} of each function, drawn with seed {}", rule.count, rule.seed);
  }
  return {};
}

}  // namespace

analysis::Program load_paths(const InputOptions &input) {
  std::map<std::string, std::vector<std::string>> builds;  // profiles by executable
  for (const std::string &file : input.profiles) {
    if (looks_like_trace(file)) continue;  // which stands alone
    format::Profile profile = read_profiles({file});
    builds[profile.segments.empty() ? "" : profile.segments[0].executable].push_back(file);
  }
  if (builds.size() < 2 || !input.program.empty()) builds = {{"", input.profiles}};
  std::optional<analysis::Program> all;
  for (const auto &[executable, profiles] : builds) {
    analysis::Program one = load({profiles, input.program, input.context, input.cost}, false, true);
    all ? analysis::add_paths(*all, std::move(one)) : void(all = std::move(one));
  }
  analysis::Program &program = *all;
  if (!has_paths(program)) {
    throw base::Error(fmt::format("{}: was built without path counts", program.name), "build with `chord --paths gcc …`");
  }
  return std::move(*all);
}

int paths_select(std::vector<std::string> args) {
  CLI::App app("Chooses paths to be counted alone (chord --paths=FILE); without a rule, those that ran.", "chord paths select");
  InputOptions input;
  analysis::ChoiceRule rule;
  uint64_t top = 0, random = 0;
  bool uncovered = false;
  std::string touching, output;
  add_input_options(app, input);
  auto *by_top = app.add_option("--top", top, "the N that ran most instructions")->type_name("N")->check(CLI::PositiveNumber);
  auto *by_absence = app.add_flag("--uncovered", uncovered, "those that did not run")->excludes(by_top);
  auto *by_line = app.add_option("--touching", touching, "those that run through a line")->type_name("FILE:LINE")->excludes(by_top)->excludes(by_absence);
  auto *by_chance = app.add_option("--random", random, "N of each function")->type_name("N")->check(CLI::PositiveNumber)->excludes(by_top)->excludes(by_absence)->excludes(by_line);
  app.add_option("--seed", rule.seed, "of --random; 0 if not given")->type_name("S")->needs(by_chance);
  app.add_option("-o,--output", output, "file to write; standard output if not given")->type_name("FILE");
  app.footer(kSelectExamples);
  if (!parse(app, std::move(args))) return 0;
  if (top != 0) rule.kind = Kind::top, rule.count = top;
  if (uncovered) rule.kind = Kind::uncovered;
  if (!touching.empty()) set_line(touching, rule);
  if (random != 0) rule.kind = Kind::random, rule.count = random;
  analysis::Program program = load_paths(input);
  std::vector<format::PathChoice> choices = analysis::choose_paths(program, rule);
  std::string text = fmt::format("# {} paths of {}: {}\n", analysis::paths_in(choices), program.name, describe(rule));
  for (const format::PathChoice &choice : choices) text += format::write_path_choice(choice) + '\n';
  if (choices.empty()) base::warning(fmt::format("{}: there are no such paths", program.name));
  if (output.empty()) {
    print(text);
  } else {
    base::write_file(output, text);
  }
  return 0;
}

int paths_split(std::vector<std::string> args) {
  CLI::App app("Divides chosen paths among several builds, each with a part of the cost.", "chord paths split");
  InputOptions input;
  size_t groups = 0;
  std::string selection, output;
  add_input_options(app, input);
  app.add_option("-n", groups, "number of parts")->type_name("N")->required()->check(CLI::Range(size_t{1}, size_t{100000}));
  app.add_option("--selection", selection, "the paths to divide; without it all that can be taken")->type_name("FILE");
  app.add_option("-o,--output", output, "parts are FILE.1, FILE.2, …")->type_name("FILE")->required();
  app.footer(kSplitExamples);
  if (!parse(app, std::move(args))) return 0;
  analysis::Program program = load_paths(input);
  std::optional<format::PathSelection> wanted;
  if (!selection.empty()) wanted = format::read_path_selection(base::read_file(selection), selection);
  std::vector<std::string> only_ran;
  std::vector<analysis::PathGroup> parts = analysis::split_paths(program, wanted ? &*wanted : nullptr, groups, only_ran);
  for (const std::string &name : only_ran) {
    base::warning(fmt::format("{}: has too many paths to be listed, and is too dear for one part: only those that ran are divided", name));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string text = fmt::format("# part {} of {}: {} paths of {}, {:.0f} probes in the run of the profile\n", i + 1, groups,
                                   parts[i].paths, program.name, parts[i].cost);
    for (const format::PathChoice &choice : parts[i].choices) text += format::write_path_choice(choice) + '\n';
    base::write_file(fmt::format("{}.{}", output, i + 1), text);
  }
  return 0;
}

}  // namespace chord::cli
