#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "cli/studies/study_perturbation.h"
#include "cli/studies/study_trace.h"
#include "report/paths/hot_paths.h"
#include "report/studies/path_study.h"
#include "report/studies/study.h"
#include "report/studies/trace_study.h"
#include "report/tables/render.h"

namespace chord::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char *kStudyExamples =
    "Tables:\n"
    "  placement   what each placement of counters would have cost in the run\n"
    "  branches    how often each static heuristic about branches was right\n"
    "  paths       paths possible, executed, and hot (programs built with --paths)\n"
    "  contexts    trees of calling contexts: size, shape, calls used (programs built with --context);\n"
    "              with -- ARGUMENTS a plain program and such builds of it are run, and what they take stands beside\n"
    "  metrics     hot, dense and sparse paths and functions by each metric (programs built with --metrics);\n"
    "              with -- ARGUMENTS the programs are run, and what that does to each event comes first\n"
    "  perturbation  each event of a plain program beside the same of builds with chord, which are run\n"
    "  selective   probes for one to five random paths of each function, of those for all paths\n"
    "  trace       bytes of several encodings of the same control flow (traces, of programs built with --trace);\n"
    "              with -- ARGUMENTS a plain program and such builds of it are run, and what they take stands beside\n"
    "\n"
    "Examples:\n"
    "  chord study placement prog.chord\n"
    "  chord study placement a.chord b.chord --csv\n"
    "  chord study placement a.chord b.chord -o placement.svg\n"
    "  chord study selective a.chord --by=function --csv\n"
    "  chord study perturbation prog prog-paths prog-contexts -- ARGUMENTS\n"
    "  chord study contexts prog prog-contexts prog-contexts-paths -- ARGUMENTS\n"
    "  chord study trace prog prog-bits prog-witness prog-paths -- ARGUMENTS\n"
    "\n"
    "Each argument is a profile, or a program whose profile lies here or beside it. Build\n"
    "with the default --place: others leave edges open, and what has open edges is left out.\n"
    "Increments: `of blocks` compares with one counter per block, `of measured` with the same\n"
    "placement by the run's own counts; `added` is instrumentation over the program's own.\n";

std::string profile_of(const std::string &argument) {
  if (looks_like_profile(argument)) return argument;
  std::string name = fs::path(argument).filename().string() + ".chord";
  for (const fs::path &place : {fs::path(name), fs::path(argument).parent_path() / name}) {
    std::error_code failed;
    if (fs::exists(place, failed)) return place.string();
  }
  throw base::Error(fmt::format("{}: no profile, and there is no {} here or beside it", argument, name),
                    "run the program first, or name its profile");
}

// The programs of the arguments, one after the other: only one is in memory at a time.
template <class Study>
auto study_all(const InputOptions &input, Study study) {
  std::vector<decltype(study(analysis::Program()))> results;
  if (input.profiles.empty()) results.push_back(study(load(input, true, true)));
  base::Progress progress("studying programs", input.profiles.size());
  for (const std::string &argument : input.profiles) {
    results.push_back(study(load({{profile_of(argument)}, input.program}, true, true)));
    progress.step();
  }
  return results;
}

nlohmann::ordered_json head_of(const char *table) { return {{"schema", 1}, {"study", table}}; }

void study_placement(const InputOptions &input, const ListingOptions &listing, const std::string &plot) {
  auto studies = study_all(input, analysis::study_placement);
  for (const analysis::PlacementStudy &s : studies) {
    if (s.left_out == 0) continue;
    base::warning(
        fmt::format("{}: {} functions are left out: their edge counts are not known", s.program, s.left_out));
  }
  if (!plot.empty()) {
    base::write_file(plot, report::placement_svg(studies));
    return;
  }
  report::Table means = report::placement_means(studies);
  report::Table table = report::placement_table(studies);
  nlohmann::ordered_json head = head_of("placement");
  if (listing.json)
    head["means"] =
        nlohmann::json::parse(report::render_json(means, nlohmann::ordered_json::object()))["rows"];
  print_listing(table, listing, head);
  if (!listing.json && !listing.csv && studies.size() > 1) {
    print("\nGeometric means:\n" + report::render_text(means, report::style_of_stdout()));
  }
}

void study_branches(const InputOptions &input, const ListingOptions &listing) {
  auto studies = study_all(input, analysis::study_branches);
  report::Table table = report::branch_table(studies);
  print_listing(table, listing, head_of("branches"));
}

void study_paths(const InputOptions &input, const ListingOptions &listing, const std::string &plot) {
  auto studies = study_all(input, analysis::study_paths);
  for (const analysis::PathStudy &s : studies) {
    if (s.functions == 0) throw base::Error(fmt::format("{}: was built without path counts", s.program), "build with `chord --paths gcc …`");
  }
  report::Table table = report::path_table(studies);
  plot.empty() ? print_listing(table, listing, head_of("paths")) : base::write_file(plot, report::path_svg(studies));
}

std::vector<report::HotStudy> hot_studies(const analysis::Program &program) {
  std::vector<report::HotStudy> studies;
  for (size_t m = 0; m < program.metrics.size(); ++m)
    studies.push_back({program.name, program.metrics[m], report::list_hot_paths(program, {m, {}}, 1), report::list_hot_functions(program, {m, {}}, 1)});
  return studies;
}

nlohmann::ordered_json rows_of(const report::Table &table) {
  return nlohmann::ordered_json::parse(report::render_json(table, nlohmann::ordered_json::object()))["rows"];
}

// With `run`, programs are run for the first two of the paper's tables.
void study_metrics(const InputOptions &input, const ListingOptions &listing, const std::string &plot, const std::optional<RunOptions> &run) {
  std::vector<report::HotStudy> studies;
  auto add = [&](std::vector<report::HotStudy> more) { std::move(more.begin(), more.end(), std::back_inserter(studies)); };
  nlohmann::ordered_json head = head_of("metrics");
  std::string before;
  if (run) {
    report::Table events = report::perturbation_table(study_perturbation(input.profiles, *run, [&](const analysis::Program &program, uint64_t) { add(hot_studies(program)); }));
    head["perturbation"] = rows_of(events);
    before = report::render_text(events, text_style(listing)) + "\n";
  } else {
    for (std::vector<report::HotStudy> &some : study_all(input, hot_studies)) add(std::move(some));
  }
  if (studies.empty()) throw base::Error("no program was built with metrics", "build with `chord --metrics=tsc gcc …`");
  if (!plot.empty()) return base::write_file(plot, report::hot_svg(studies));
  if (!listing.json && !listing.csv) print(before);
  report::Table table = report::hot_table(studies);
  print_listing(table, listing, head);
}

void study_events(const InputOptions &input, const ListingOptions &listing, const std::string &plot, const RunOptions &run) {
  if (input.profiles.empty()) throw base::UsageError("perturbation: which programs?", "chord study perturbation prog prog-woven -- ARGUMENTS");
  auto studies = study_perturbation(input.profiles, run, {});
  report::Table table = report::perturbation_table(studies);
  plot.empty() ? print_listing(table, listing, head_of("perturbation")) : base::write_file(plot, report::perturbation_svg(studies));
}

void study_selective(const InputOptions &input, const ListingOptions &listing, const std::string &plot, bool functions) {
  auto studies = study_all(input, analysis::study_selective);
  for (const analysis::SelectiveStudy &s : studies) {
    if (s.functions.empty()) throw base::Error(fmt::format("{}: no function of it counts several paths", s.program), "build with `chord --paths gcc …`");
  }
  report::Table table = functions ? report::selective_functions(studies) : report::selective_table(studies);
  plot.empty() ? print_listing(table, listing, head_of("selective")) : base::write_file(plot, report::selective_svg(studies));
}

// What the processor took for the run.
std::pair<std::optional<uint64_t>, std::optional<uint64_t>> times_of(const report::Perturbation &run) {
  for (const char *event : {"task-clock", "time"}) {
    for (const report::PerturbedEvent &e : run.events) {
      if (e.name == event) return {e.plain, e.woven};
    }
  }
  return {};
}

// Programs are run: what they take stands beside what their trees are like.
std::vector<analysis::ContextStudy> run_for_contexts(const InputOptions &input, RunOptions run) {
  std::vector<analysis::ContextStudy> studies;
  run.context_details = true;
  auto loaded = [&](const analysis::Program &program, uint64_t bytes) {
    studies.push_back(analysis::study_contexts(program));
    studies.back().profile_bytes = bytes;
  };
  std::vector<report::Perturbation> runs = study_perturbation(input.profiles, run, loaded);
  for (size_t n = 0; n < runs.size(); ++n) {
    studies[n].program = runs[n].woven;
    std::tie(studies[n].plain_time, studies[n].woven_time) = times_of(runs[n]);
  }
  return studies;
}

std::vector<analysis::ContextStudy> read_for_contexts(const InputOptions &input) {
  std::vector<analysis::ContextStudy> studies;
  std::vector<std::string> profiles = input.profiles;
  if (profiles.empty()) profiles.push_back(newest_profile());
  base::Progress progress("studying programs", profiles.size());
  for (const std::string &argument : profiles) {
    InputOptions one{{profile_of(argument)}, input.program};
    one.context_details = true;
    studies.push_back(analysis::study_contexts(load(one, false, true)));
    std::error_code none;
    studies.back().profile_bytes = fs::file_size(one.profiles[0], none);
    progress.step();
  }
  return studies;
}

void study_contexts(const InputOptions &input, const ListingOptions &listing, const std::optional<RunOptions> &run) {
  std::vector<analysis::ContextStudy> studies = run ? run_for_contexts(input, *run) : read_for_contexts(input);
  for (const analysis::ContextStudy &s : studies) {
    if (s.nodes == 0) throw base::Error(fmt::format("{}: the profile holds no calling contexts", s.program), "build with `chord --context gcc …`");
  }
  report::Table table = report::context_table(studies);
  print_listing(table, listing, head_of("contexts"));
}

// With `run`, programs are run: what they take stands beside what they write.
void study_trace(const InputOptions &input, const ListingOptions &listing, const std::optional<RunOptions> &run) {
  const std::vector<analysis::TraceStudy> studies = run ? study_trace_runs(input.profiles, *run) : study_traces(input);
  report::Table table = report::trace_study_table(studies);
  print_listing(table, listing, head_of("trace"));
}

}  // namespace

int cmd_study(std::vector<std::string> args) {
  RunOptions run;
  auto divider = std::find(args.begin(), args.end(), "--");
  bool runs = divider != args.end();
  if (runs) run.arguments.assign(divider + 1, args.end());
  args.erase(divider, args.end());
  CLI::App app("Reproduces the papers' tables on given programs.", "chord study");
  InputOptions input;
  ListingOptions listing;
  std::string table, plot, by = "program";
  app.add_option("TABLE", table, "placement, branches, paths, contexts, metrics, perturbation, selective or trace")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"placement", "branches", "paths", "contexts", "metrics", "perturbation", "selective", "trace"}));
  add_input_options(app, input);
  add_listing_options(app, listing);
  app.add_option("-o,--output", plot, "write a plot instead of the table (not branches, contexts or trace)")->type_name("FILE.svg");
  app.add_option("--repeats", run.repeats, "perturbation: runs of each program, of which the least of each event counts (3)")->type_name("N")->check(CLI::Range(1, 1000));
  app.add_option("--stdin", run.input, "perturbation: what programs read as standard input (nothing)")->type_name("FILE");
  app.add_option("--steps", run.most_steps, "perturbation: longest run in single steps, by which instructions are counted (1000000); 0: none")->type_name("N");
  app.add_option("--by", by, "selective: program, or function for a row of each")
      ->type_name("KIND")
      ->check(CLI::IsMember({"program", "function"}));
  app.footer(kStudyExamples);
  if (!parse(app, std::move(args))) return 0;
  if (runs && table != "metrics" && table != "perturbation" && table != "contexts" && table != "trace") throw base::UsageError(fmt::format("--: `study {}` runs nothing", table));
  if (table == "perturbation") {
    study_events(input, listing, plot, run);
  } else if (table == "metrics") {
    study_metrics(input, listing, plot, runs ? std::optional(run) : std::nullopt);
  } else if (table == "placement") {
    study_placement(input, listing, plot);
  } else if (table == "paths") {
    study_paths(input, listing, plot);
  } else if (table == "selective") {
    study_selective(input, listing, plot, by == "function");
  } else if (!plot.empty()) {
    throw base::UsageError(fmt::format("-o: `study {}` has no plot", table));
  } else if (table == "contexts") {
    run.most_steps = 0;  // single steps tell nothing about contexts
    study_contexts(input, listing, runs ? std::optional(run) : std::nullopt);
  } else if (table == "trace") {
    study_trace(input, listing, runs ? std::optional(run) : std::nullopt);
  } else {
    study_branches(input, listing);
  }
  return 0;
}

}  // namespace chord::cli
