#include "analysis/program/probe_costs.h"

#include <algorithm>
#include <sstream>

#include "analysis/program/gauges.h"
#include "analysis/program/procedure_names.h"

namespace chord::analysis {
namespace {

// Of one metric, in its unit: for each activation, for each that it calls, for each path.
struct Cost {
  size_t metric = 0;
  double inside = 0, outside = 0, along = 0;
};

double ratio(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

// Adds what is not measured by probes, too: it has no error.
std::vector<Cost> costs_of(const Program &program, const chord_probe_costs &sums, const Clock &clock) {
  std::vector<Cost> costs;
  for (size_t m = 0; m < program.metrics.size(); ++m) {
    if (program.metrics[m].starts_with("sim:") || program.metrics[m] == "cost") costs.push_back({m});
  }
  const std::vector<std::string> gauges = gauge_names(program);
  for (size_t g = 0; g < gauges.size() && g < CHORD_MOST_GAUGES && sums.calls != 0; ++g) {
    std::istringstream each(gauges[g]);
    for (std::string name; std::getline(each, name, ',');) {
      auto found = std::find(program.metrics.begin(), program.metrics.end(), name);
      if (found == program.metrics.end() || name.starts_with("sim:") || (name == "time" && clock.ticks == 0)) continue;
      double unit = name == "time" ? ratio(clock.nanoseconds, clock.ticks) : 1;
      costs.push_back({static_cast<size_t>(found - program.metrics.begin()), unit * ratio(sums.of[g].inside, sums.calls), unit * ratio(sums.of[g].outside, sums.calls),
                       unit * ratio(sums.of[g].along, sums.paths)});
    }
  }
  return costs;
}

// What no process could have taken is not told: the profile is damaged.
void add_rounded(MetricValues &values, size_t metric, double amount) {
  constexpr double kMost = 9e18;
  if (amount < kMost) add_to(values, metric, static_cast<uint64_t>(amount + 0.5));
}

class Settler {
 public:
  Settler(Program &program, const std::vector<Cost> &costs) : program_(program), names_(program), costs_(costs) {}

  void settle_all() {
    for (CountedProcedure &p : program_.procedures) {
      if (!p.exact()) continue;
      for (const Cost &cost : costs_) settle(p, cost);
    }
    settle_contexts();
  }

 private:
  bool is_metered(const CountedProcedure &p, size_t metric) const { return value_of(p.metrics.own, metric).has_value(); }

  // May the instruction call what is measured? By address it is not known: taken for one that does.
  bool calls_metered(const CountedProcedure &p, uint32_t instruction, size_t metric) const {
    const format::Instruction &in = p.map->instructions[instruction];
    if ((in.traits & isa::kCall) == 0) return false;
    if (in.callee.empty()) return true;
    uint32_t callee = names_.find(p, in.callee);
    return callee != core::kNone && is_metered(program_.procedures[callee], metric);
  }

  // By block: its instructions that may.
  std::vector<uint32_t> calls_by_block(const CountedProcedure &p, size_t metric) const {
    std::vector<uint32_t> calls(p.map->blocks.size());
    for (size_t b = 0; b < calls.size(); ++b) {
      const format::Block &block = p.map->blocks[b];
      for (uint32_t i = block.first; i < block.first + block.count; ++i) calls[b] += calls_metered(p, i, metric) ? 1 : 0;
    }
    return calls;
  }

  void settle(CountedProcedure &p, const Cost &cost) const {
    if (!is_metered(p, cost.metric)) return;
    const std::vector<uint32_t> by_block = calls_by_block(p, cost.metric);
    double calls = 0, paths = 0;
    for (size_t b = 0; b < by_block.size(); ++b) {
      const format::Block &block = p.map->blocks[b];
      for (uint32_t i = block.first; by_block[b] != 0 && i < block.first + block.count; ++i) calls += calls_metered(p, i, cost.metric) ? static_cast<double>(p.executed[i]) : 0;
    }
    for (CountedPath &path : p.paths) {
      if (!value_of(path.metrics, cost.metric) || path.count <= 0) continue;
      double on_path = 0;
      for (uint32_t b : blocks_of(*p.map, path)) on_path += by_block[b];
      auto count = static_cast<double>(path.count);
      paths += count;
      add_rounded(path.metrics_error, cost.metric, count * (cost.along + cost.outside * on_path));
    }
    double own = paths != 0 ? paths * cost.along : static_cast<double>(p.calls) * cost.inside;
    add_rounded(p.metrics.error, cost.metric, own + calls * cost.outside);
  }

  // A parent comes before its children.
  void settle_contexts() {
    std::vector<CountedContext> &contexts = program_.contexts;
    for (const Cost &cost : costs_) {
      for (CountedContext &c : contexts) {
        if (!value_of(c.metrics, cost.metric)) continue;
        const bool along = c.paths != 0 && cost.metric < program_.procedures[c.procedure].metrics.paths.size();
        add_rounded(c.metrics_error, cost.metric, along ? static_cast<double>(c.paths) * cost.along : static_cast<double>(c.calls) * cost.inside);
        if (c.parent != core::kNone) add_rounded(contexts[c.parent].metrics_error, cost.metric, static_cast<double>(c.calls) * cost.outside);
      }
    }
    for (CountedContext &c : contexts) c.metrics_inclusive_error = c.metrics_error;
    for (size_t n = contexts.size(); n-- > 0;) {
      if (contexts[n].parent != core::kNone) add_to(contexts[contexts[n].parent].metrics_inclusive_error, contexts[n].metrics_inclusive_error);
    }
  }

  Program &program_;
  ProcedureNames names_;
  const std::vector<Cost> &costs_;
};

}  // namespace

void ProbeCosts::add(const format::ModuleProfile &profile) {
  for (const format::ModuleProfile::Procedure &p : profile.procedures) {
    if (p.key != CHORD_PROBES_KEY || p.counters.size() != sizeof sums_ / sizeof(uint64_t)) continue;
    sums_.calls += p.counters[0];
    sums_.paths += p.counters[1];
    for (size_t g = 0; g < CHORD_MOST_GAUGES; ++g) {
      sums_.of[g].inside += p.counters[2 + 3 * g];
      sums_.of[g].outside += p.counters[3 + 3 * g];
      sums_.of[g].along += p.counters[4 + 3 * g];
    }
  }
}

void ProbeCosts::settle(Program &program, const Clock &clock) const {
  const std::vector<Cost> costs = costs_of(program, sums_, clock);
  if (!costs.empty()) Settler(program, costs).settle_all();
}

}  // namespace chord::analysis
