#include "cli/studies/study_perturbation.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/objects/function_symbols.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/arguments/options.h"
#include "cli/arguments/woven_objects.h"
#include "cli/studies/measured_run.h"

namespace chord::cli {
namespace {

using report::PerturbedEvent;
using Events = std::vector<RunEvent>;

std::optional<uint64_t> value_in(const Events &events, const std::string &name) {
  for (const RunEvent &e : events) {
    if (e.name == name) return e.value;
  }
  return std::nullopt;
}

// Of several runs what each took least: other programs only add.
void keep_least(Events &least, const Events &run) {
  if (least.empty()) least = run;
  for (RunEvent &e : least) {
    for (const RunEvent &other : run) {
      if (other.name == e.name) e.value = std::min(e.value, other.value);
    }
  }
}

StepCounts counted_by(const analysis::Program &program) {
  StepCounts sum;
  for (const analysis::CountedProcedure &p : program.procedures) {
    for (size_t i = 0; i < p.executed.size() && p.exact(); ++i) sum.add(p.map->instructions[i].traits, p.executed[i]);
  }
  return sum;
}

std::set<std::string, std::less<>> functions_of(const analysis::Program &program) {
  std::set<std::string, std::less<>> names;
  for (const analysis::CountedProcedure &p : program.procedures) {
    for (const format::Fragment &f : p.map->fragments) names.insert(f.name);
  }
  return names;
}

class Pair {
 public:
  Pair(std::string plain, std::string woven, const RunOptions &options) : plain_(std::move(plain)), woven_(std::move(woven)), options_(options) {}

  report::Perturbation study(const LoadedRun &loaded) {
    report::Perturbation out{std::filesystem::path(plain_.empty() ? woven_ : plain_).filename(), std::filesystem::path(woven_).filename(), {}};
    Events plain, woven;
    for (unsigned k = 0; k < std::max(1u, options_.repeats); ++k) {  // in turns
      if (!plain_.empty()) keep_least(plain, measure_run(command(plain_)));
      std::filesystem::remove(profile());
      keep_least(woven, measure_run(command(woven_)));
    }
    InputOptions input{{profile()}, woven_};
    input.context_details = options_.context_details;
    analysis::Program program = load(input, false, true);
    if (loaded) loaded(program, std::filesystem::file_size(profile()));
    add_steps(program, out.events);
    for (const RunEvent &e : woven) {
      bool stepped = std::any_of(out.events.begin(), out.events.end(), [&](const PerturbedEvent &known) { return known.name == e.name; });
      if (!stepped) out.events.push_back({e.name, value_in(plain, e.name), std::nullopt, e.value, e.name == "time" || e.name == "tsc" ? "clock" : "kernel"});
    }
    return out;
  }

 private:
  std::string profile() const { return folder_.file("run.chord"); }
  RunCommand command(const std::string &program) const { return {program, options_.arguments, profile(), options_.input}; }

  StepCounts step(const std::string &program, const std::set<std::string, std::less<>> &own) const {
    auto kind = [&own](std::string_view name) {
      if (analysis::is_runtime(name)) return name.ends_with("_calibrate") ? CodeKind::setup : CodeKind::runtime;
      return own.contains(name) ? CodeKind::own : CodeKind::other;
    };
    RunCommand run = command(program);
    run.profile = folder_.file("stepped.chord");
    return step_run(run, {options_.most_steps, kind});
  }

  void add_steps(const analysis::Program &program, std::vector<PerturbedEvent> &out) const {
    StepCounts counted = counted_by(program), plain, woven;
    plain.complete = woven.complete = false;
    bool stepped_badly = false;
    if (options_.most_steps != 0 && counted.instructions <= options_.most_steps) {
      auto own = functions_of(program);
      try {
        if (!plain_.empty()) plain = step(plain_, own);
        woven = step(woven_, own);
      } catch (const base::Error &e) {  // without symbols, or where nobody may be traced
        base::warning(fmt::format("not run in single steps: {}", e.what()), e.hint);
        plain.complete = woven.complete = false;
        stepped_badly = true;
      }
    }
    if (options_.most_steps != 0 && !woven.complete && !stepped_badly)
      base::warning(fmt::format("{}: not run in single steps: it takes more than {}", woven_, options_.most_steps), "a smaller input, or --steps=N (50,000 take a second or more)");
    auto add = [&](const char *name, uint64_t StepCounts::*event) {
      auto of = [&](const StepCounts &counts) { return counts.complete ? std::optional(counts.*event) : std::nullopt; };
      out.push_back({name, plain_.empty() ? std::optional(counted.*event) : of(plain), counted.*event, of(woven), "stepped"});
    };
    add("instructions", &StepCounts::instructions);
    add("loads", &StepCounts::loads);
    add("stores", &StepCounts::stores);
    add("branches", &StepCounts::branches);
  }

  std::string plain_, woven_;
  const RunOptions &options_;
  base::TempFolder folder_;
};

}  // namespace

std::vector<report::Perturbation> study_perturbation(const std::vector<std::string> &programs, const RunOptions &options, const LoadedRun &loaded) {
  std::vector<report::Perturbation> studies;
  std::string plain;
  base::Progress progress("running programs", programs.size());
  for (const std::string &program : programs) {
    if (!is_elf(program)) throw base::Error(fmt::format("{}: not an executable", program), "name programs, not profiles: first a plain one, then those built with chord");
    if (carries_runtime(program)) {
      studies.push_back(Pair(plain, program, options).study(loaded));
    } else {
      plain = program;
    }
    progress.step();
  }
  if (studies.empty()) throw base::Error("no program is built with chord", "name a plain program, then builds of it: chord study perturbation prog prog-woven");
  return studies;
}

}  // namespace chord::cli
