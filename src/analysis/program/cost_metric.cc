#include "analysis/program/cost_metric.h"

#include <fmt/core.h>

#include "base/diagnostics.h"

namespace chord::analysis {
namespace {

uint64_t product(uint64_t count, int64_t cost, const std::string &name) {
  uint64_t result = 0;
  if (__builtin_mul_overflow(count, static_cast<uint64_t>(cost), &result))
    throw base::Error(fmt::format("{}: its cost does not fit 64 bits", name), "report on fewer runs at a time");
  return result;
}

}  // namespace

CostMetric::CostMetric(std::vector<format::CostRule> rules, MetricNames &names) : rules_(std::move(rules)) {
  if (!rules_.empty()) metric_ = names.index_of("cost");
}

const std::vector<int64_t> &CostMetric::costs_of(const format::Procedure &map, const format::UnitMap &unit) {
  auto [at, fresh] = costs_.try_emplace(&map);
  if (fresh) at->second = format::instruction_costs(rules_, map, unit);
  return at->second;
}

void CostMetric::add(CountedProcedure &p) {
  if (rules_.empty()) return;
  const std::vector<int64_t> &costs = costs_of(*p.map, *p.unit);
  for (CountedPath &path : p.paths) {
    if (path.count >= 0) add_to(path.metrics, metric_, product(static_cast<uint64_t>(path.count), static_cast<int64_t>(cost_of(*p.map, path, costs)), p.map->name));
  }
  if (!p.exact()) return;
  if (p.metrics.instructions.size() <= metric_) p.metrics.instructions.resize(metric_ + 1);
  std::vector<uint64_t> &each = p.metrics.instructions[metric_];
  for (size_t i = 0; i < p.executed.size(); ++i) each.push_back(product(p.executed[i], costs[i], p.map->name));
  add(p, *p.unit, p.metrics.own);
}

void CostMetric::add(const CountedProcedure &p, const format::UnitMap &unit, MetricValues &values) {
  if (rules_.empty()) return;
  const std::vector<int64_t> &costs = costs_of(*p.map, unit);
  uint64_t sum = 0;
  for (size_t i = 0; i < p.executed.size(); ++i) sum += product(p.executed[i], costs[i], p.map->name);
  add_to(values, metric_, sum);
}

// Of one execution.
uint64_t CostMetric::cost_of(const format::Procedure &map, const CountedPath &path, const std::vector<int64_t> &costs) const {
  uint64_t sum = 0;
  auto add_range = [&](uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i) sum += static_cast<uint64_t>(costs[i]);
  };
  for (uint32_t b : blocks_of(map, path)) {
    const format::Block &block = map.blocks[b];
    bool cut_short = path.partial && b == path.last_block;
    add_range(block.first, cut_short ? path.instruction + (path.executed ? 1 : 0) : block.first + block.count);
  }
  for (core::EdgeId e : path.path.edges) add_range(map.edges[e].padding_first, map.edges[e].padding_first + map.edges[e].padding_count);
  return sum;
}

}  // namespace chord::analysis
