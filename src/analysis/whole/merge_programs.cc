#include "analysis/whole/merge_programs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analysis/contexts/context_totals.h"
#include "analysis/counting/count_procedure.h"

namespace chord::analysis {
namespace {

void add(std::vector<uint64_t> &into, const std::vector<uint64_t> &from, const std::string &where) {
  if (into.size() < from.size()) into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) into[i] = checked_add(into[i], from[i], where);
}

// What one of them does not know is not known of both; a program in which the procedure was not measured adds nothing.
void add_totals(std::vector<uint64_t> &into, const std::vector<uint64_t> &from, const std::string &where) {
  if (into.size() < from.size()) into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = into[i] == kUnknownTotal || from[i] == kUnknownTotal ? kUnknownTotal : checked_add(into[i], from[i], where);
}

bool is_same(const CountedPath &a, const CountedPath &b) {
  if (a.partial != b.partial || a.running != b.running) return false;
  if (!a.partial) return a.number == b.number;
  return a.last_block == b.last_block && a.instruction == b.instruction && a.executed == b.executed && a.path == b.path;
}

void add_paths(std::vector<CountedPath> &into, std::vector<CountedPath> &from) {
  for (CountedPath &path : from) {
    auto same = std::find_if(into.begin(), into.end(), [&](const CountedPath &one) { return is_same(one, path); });
    if (same == into.end()) {
      into.push_back(std::move(path));
    } else {
      same->count += path.count;
      add_to(same->metrics, path.metrics);
      add_to(same->metrics_error, path.metrics_error);
    }
  }
}

void add(std::vector<std::vector<uint64_t>> &into, const std::vector<std::vector<uint64_t>> &from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (size_t m = 0; m < from.size(); ++m) {
    if (into[m].size() < from[m].size()) into[m].resize(from[m].size());
    for (size_t k = 0; k < from[m].size(); ++k) into[m][k] += from[m][k];
  }
}

void add(ProcedureMetrics &into, const ProcedureMetrics &from) {
  add_to(into.own, from.own);
  add_to(into.total, from.total);
  add_to(into.error, from.error);
  add(into.instructions, from.instructions);
  add(into.paths, from.paths);
}

// The same with the metrics in another order: `place` by old index.
void reorder(MetricValues &values, const std::vector<size_t> &place) {
  MetricValues out;
  for (size_t m = 0; m < values.size(); ++m) {
    if (values[m]) add_to(out, place[m], *values[m]);
  }
  values = std::move(out);
}

void reorder(std::vector<std::vector<uint64_t>> &lists, const std::vector<size_t> &place) {
  std::vector<std::vector<uint64_t>> out;
  for (size_t m = 0; m < lists.size(); ++m) {
    if (out.size() <= place[m]) out.resize(place[m] + 1);
    out[place[m]] = std::move(lists[m]);
  }
  lists = std::move(out);
}

void reorder(Program &program, const std::vector<size_t> &place) {
  for (CountedProcedure &p : program.procedures) {
    reorder(p.metrics.own, place);
    reorder(p.metrics.total, place);
    reorder(p.metrics.error, place);
    reorder(p.metrics.instructions, place);
    reorder(p.metrics.paths, place);
    for (CountedPath &path : p.paths) {
      reorder(path.metrics, place);
      reorder(path.metrics_error, place);
    }
  }
  for (CountedContext &c : program.contexts) {
    reorder(c.metrics, place);
    reorder(c.metrics_inclusive, place);
    reorder(c.metrics_error, place);
    reorder(c.metrics_inclusive_error, place);
  }
}

bool is_same_code(const CountedProcedure &a, const CountedProcedure &b) {
  return a.map->name == b.map->name && a.executed.size() == b.executed.size() &&
         a.counts.vertex.size() == b.counts.vertex.size() && a.counts.edge.size() == b.counts.edge.size() &&
         a.map->plan.placement == b.map->plan.placement;
}

void add(CountedProcedure &into, CountedProcedure &from) {
  const std::string &name = into.map->name;
  add(into.counts.edge, from.counts.edge, name);
  add(into.counts.vertex, from.counts.vertex, name);
  add(into.executed, from.executed, name);
  add_totals(into.totals, from.totals, name);
  for (size_t e = 0; e < into.counts.edge_known.size(); ++e) {
    into.counts.edge_known[e] = into.counts.edge_known[e] && from.counts.edge_known[e];
  }
  add_paths(into.paths, from.paths);
  add(into.metrics, from.metrics);
  into.calls = checked_add(into.calls, from.calls, name);
  into.instructions = checked_add(into.instructions, from.instructions, name);
  into.uncertain += from.uncertain;
  into.may_have_run_on = into.may_have_run_on || from.may_have_run_on;
  into.incomplete = into.incomplete || from.incomplete;
  into.ran_in_profile = into.ran_in_profile || from.ran_in_profile;
  if (into.problem.empty()) into.problem = std::move(from.problem);
}

class Merging {
 public:
  void add_program(Program &&program) {
    std::vector<size_t> metrics;
    for (const std::string &name : program.metrics) metrics.push_back(metrics_.index_of(name));
    reorder(program, metrics);
    std::vector<uint32_t> place;
    for (CountedProcedure &procedure : program.procedures) place.push_back(add_procedure(program, procedure));
    add_contexts(program, place);
    for (Module &module : program.modules) whole_.modules.push_back(std::move(module));
    for (const Skipped &skipped : program.skipped) {
      if (seen_.insert({skipped.map->name, skipped.unit->unit}).second) whole_.skipped.push_back(skipped);
    }
    whole_.instructions = checked_add(whole_.instructions, program.instructions, program.name);
    whole_.runs += program.runs;
    whole_.threads += program.threads;
    whole_.exact = whole_.exact && program.exact;
    for (std::string &warning : program.warnings) whole_.warnings.push_back(fmt::format("{}: {}", program.name, warning));
    whole_.parts.push_back({program.name, program.path, program.runs, program.threads, program.instructions, program.exact});
  }

  Program finish() {
    whole_.metrics = metrics_.names();
    whole_.name = fmt::format("{} programs", whole_.parts.size());
    return std::move(whole_);
  }

 private:
  // `place`: where the program's procedures are now.
  void add_contexts(const Program &program, const std::vector<uint32_t> &place) {
    auto first = static_cast<uint32_t>(whole_.contexts.size());
    for (CountedContext context : program.contexts) {
      if (context.parent != core::kNone) context.parent += first;
      context.procedure = place[context.procedure];
      whole_.contexts.push_back(context);
    }
  }

  // Returns where it is now.
  uint32_t add_procedure(Program &program, CountedProcedure &procedure) {
    auto [at, fresh] = known_.try_emplace(procedure.map->key, whole_.procedures.size());
    if (!fresh && is_same_code(whole_.procedures[at->second], procedure)) {
      CountedProcedure &into = whole_.procedures[at->second];
      bool other_module = procedure.module < program.modules.size() &&
                          program.modules[procedure.module].path != path_of(into);
      into.programs += procedure.programs;
      into.several_modules = into.several_modules || other_module;
      add(into, procedure);
      return static_cast<uint32_t>(at->second);
    }
    procedure.module += static_cast<uint32_t>(whole_.modules.size());
    whole_.procedures.push_back(std::move(procedure));
    return static_cast<uint32_t>(whole_.procedures.size() - 1);
  }

  const std::string &path_of(const CountedProcedure &procedure) const {
    static const std::string kNoPath;
    return procedure.module < whole_.modules.size() ? whole_.modules[procedure.module].path : kNoPath;
  }

  Program whole_;
  MetricNames metrics_;
  std::unordered_map<uint64_t, size_t> known_;  // by key
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace

Program merge_programs(std::vector<Program> programs) {
  if (programs.size() == 1) return std::move(programs[0]);
  Merging merging;
  for (Program &program : programs) merging.add_program(std::move(program));
  return merging.finish();
}

}  // namespace chord::analysis
