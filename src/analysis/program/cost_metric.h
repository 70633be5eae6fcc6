// The metric `cost`: what executed instructions cost by a table of the user's (format/inputs/costs.h), for functions, instructions, paths
// and contexts, from counts alone: nothing has to be built or run again.
#pragma once

#include <unordered_map>
#include <vector>

#include "analysis/program/program.h"
#include "format/inputs/costs.h"

namespace chord::analysis {

class CostMetric {
 public:
  // No rules: there is no such metric.
  CostMetric(std::vector<format::CostRule> rules, MetricNames &names);

  // Adds what the procedure and its paths cost. Nothing where its counts contradict each other.
  void add(CountedProcedure &procedure);
  // What these executions of a procedure's instructions cost; nothing without rules.
  void add(const CountedProcedure &procedure, const format::UnitMap &unit, MetricValues &values);

 private:
  const std::vector<int64_t> &costs_of(const format::Procedure &map, const format::UnitMap &unit);
  uint64_t cost_of(const format::Procedure &map, const CountedPath &path, const std::vector<int64_t> &costs) const;

  std::vector<format::CostRule> rules_;
  size_t metric_ = 0;
  std::unordered_map<const format::Procedure *, std::vector<int64_t>> costs_;
};

}  // namespace chord::analysis
