#include "weave/plan_procedure.h"

#include <algorithm>

#include "core/block_counters.h"
#include "core/counter_sums.h"
#include "core/edge_counters.h"
#include "core/mixed_counters.h"
#include "core/running_activations.h"
#include "core/vertex_counters.h"
#include "core/vertex_edge_counters.h"
#include "core/weights.h"
#include "format/branch_hints.h"
#include "weave/counter_place.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::EdgeKind;

namespace {

struct Estimate {
  std::vector<double> weights;
  bool unmatched = false;  // measured weights were asked for, and there are none
};

Estimate estimate(const core::Graph &graph, const format::Procedure &map, const std::vector<std::string> &mnemonics,
                  const Options &options) {
  if (options.weights == Options::Weights::paper) return {core::paper_weights(graph)};
  Estimate result{core::static_weights(graph, format::branch_hints(map, mnemonics))};
  if (options.weights != Options::Weights::measured || options.measured == nullptr) return result;
  const std::vector<uint64_t> *counts = options.measured->find(format::shape_hash(map), map.edges.size());
  if (counts == nullptr) {
    result.unmatched = true;
  } else {
    result.weights = core::measured_weights(*counts, result.weights);
  }
  return result;
}

double price(const Site &site, const Options &options) {
  if (!site.exists()) return kImpossible;
  return isa::increment(counter_place(options, site), site.live).price + (site.is_stub() ? kStubPrice : 0);
}

std::optional<core::Plan> place_counters(const core::Graph &graph, const core::Costs &costs,
                                         const std::vector<bool> &holds_code, const Options &options,
                                         std::string &why_not) {
  switch (options.place) {
    case core::Placement::optimal: return core::place_mixed_counters(graph, costs, why_not);
    case core::Placement::redundant: return core::place_block_counters(graph, costs, holds_code, why_not);
    case core::Placement::vertex: return core::place_vertex_counters(graph, costs, why_not);
    case core::Placement::vertex_edge: return core::place_vertex_edge_counters(graph, costs, why_not);
    case core::Placement::paths:
    case core::Placement::chosen_paths: break;  // planned with their probes (weave/paths.h)
    case core::Placement::none: {
      core::Plan nothing;
      nothing.placement = core::Placement::none;
      nothing.never = core::never_edges(costs);
      return nothing;
    }
  }
  return std::nullopt;
}

core::EdgeId entering_edge(const assembly::Procedure &p) {
  auto found = std::find_if(p.edges.begin(), p.edges.end(), [](const assembly::Edge &e) { return e.kind == EdgeKind::enter; });
  return static_cast<core::EdgeId>(found - p.edges.begin());
}

}  // namespace

std::vector<double> edge_weights(const assembly::Procedure &p, const format::Procedure &map,
                                 const std::vector<std::string> &mnemonics, const Options &options) {
  return estimate(p.graph(), map, mnemonics, options).weights;
}

std::optional<core::Plan> plan_procedure(const assembly::Procedure &p, const format::Procedure &map,
                                         const std::vector<std::string> &mnemonics, const Sites &sites,
                                         const std::vector<LoopPlanner::Offer> &offers, bool called, const Options &options,
                                         bool &unmatched, std::string &why_not) {
  core::Graph graph = p.graph();
  if (why_not = graph.defect(); !why_not.empty()) return std::nullopt;
  Estimate estimated = estimate(graph, map, mnemonics, options);
  unmatched = estimated.unmatched;
  const std::vector<double> &weights = estimated.weights;
  core::Costs costs;
  costs.edge.resize(p.edges.size());
  costs.never.resize(p.edges.size());
  costs.wanted.resize(p.edges.size());
  costs.vertex.assign(p.blocks.size(), kImpossible);
  for (size_t e = 0; e < p.edges.size(); ++e) {
    costs.edge[e] = weights[e] * price(sites.edge[e], options);
    if (!sites.edge[e].exists()) costs.edge[e] = kImpossible;  // whatever its weight
    costs.never[e] = p.edges[e].kind == EdgeKind::never;
    // Padding runs on its edge, and the number of calls is that of the enter edge:
    // both are reported, so they must follow even where edges are left open.
    costs.wanted[e] = p.edges[e].padding_count != 0 || p.edges[e].kind == EdgeKind::enter;
  }
  std::vector<bool> holds_code(p.blocks.size());
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    holds_code[b] = p.blocks[b].kind == BlockKind::code;
    if (!sites.block[b].exists()) continue;
    double frequency = 0;
    for (core::EdgeId e : graph.in(b)) frequency += weights[e];
    costs.vertex[b] = frequency * price(sites.block[b], options);
  }
  std::vector<core::OfferedSum> sums;
  for (const LoopPlanner::Offer &o : offers) {
    if (!o.terms.empty()) {
      sums.push_back({o.terms, o.cost});
      continue;
    }
    double &cost = o.counter.site == core::Site::edge ? costs.edge[o.counter.id] : costs.vertex[o.counter.id];
    cost = std::min(cost, o.cost);
  }
  core::EdgeId enter = entering_edge(p);
  if (called) costs.edge[enter] = 0;
  std::optional<core::Plan> plan = place_counters(graph, costs, holds_code, options, why_not);
  if (plan) plan = core::exchange_for_sums(graph, costs, sums, *std::move(plan));
  if (plan && called && std::erase(plan->counters, core::Counter{core::Site::edge, enter}) != 0) plan->called = enter;
  if (plan && options.durable && options.place != core::Placement::none)
    plan = core::measure_ends(graph, costs, holds_code, *plan);
  return plan;
}

}  // namespace chord::weave
