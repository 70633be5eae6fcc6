#include "weave/plan_procedure.h"

#include <limits>

#include "core/block_counters.h"
#include "core/edge_counters.h"
#include "core/vertex_counters.h"
#include "core/vertex_edge_counters.h"
#include "core/weights.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::EdgeKind;

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
// A stub is reached by a jump and left by one; the first replaces the original's.
constexpr double kStubPrice = 1.0;

core::BranchHints hints_for(const assembly::Unit &unit, const assembly::Procedure &p) {
  core::BranchHints hints;
  hints.cold.assign(p.blocks.size(), false);
  std::vector<bool> only_never(p.blocks.size(), true);
  for (size_t e = 1; e < p.edges.size(); ++e) {
    if (p.edges[e].kind != EdgeKind::never) only_never[p.edges[e].from] = false;
  }
  for (uint32_t b = 2; b < p.blocks.size(); ++b) {
    const assembly::Block &block = p.blocks[b];
    if (block.kind == BlockKind::landing) hints.cold[b] = true;
    if (block.kind != BlockKind::code) continue;
    const assembly::Fragment &f = p.fragments[p.instructions[block.first].fragment];
    bool cold_section = unit.source->sections[f.section].name.starts_with(".text.unlikely");
    bool whole_procedure_is_cold = unit.source->sections[p.fragments[0].section].name.starts_with(".text.unlikely");
    hints.cold[b] = only_never[b] || (cold_section && !whole_procedure_is_cold);
  }
  return hints;
}

double price(const Site &site, const isa::CounterPlace &place) {
  if (!site.exists()) return kImpossible;
  return isa::increment(place, site.live).price + (site.is_stub() ? kStubPrice : 0);
}

}  // namespace

std::optional<core::Plan> plan_procedure(const assembly::Unit &unit, const assembly::Procedure &p, const Sites &sites,
                                         const Options &options, std::string &why_not) {
  core::Graph graph = p.graph();
  if (why_not = graph.defect(); !why_not.empty()) return std::nullopt;
  std::vector<double> weights = options.weights == Options::Weights::paper
                                    ? core::paper_weights(graph)
                                    : core::static_weights(graph, hints_for(unit, p));
  isa::CounterPlace place;
  place.kind = options.counters;
  core::Costs costs;
  costs.edge.resize(p.edges.size());
  costs.never.resize(p.edges.size());
  costs.vertex.assign(p.blocks.size(), kImpossible);
  for (size_t e = 0; e < p.edges.size(); ++e) {
    costs.edge[e] = weights[e] * price(sites.edge[e], place);
    if (!sites.edge[e].exists()) costs.edge[e] = kImpossible;  // whatever its weight
    costs.never[e] = p.edges[e].kind == EdgeKind::never;
  }
  std::vector<bool> holds_code(p.blocks.size());
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    holds_code[b] = p.blocks[b].kind == BlockKind::code;
    if (!sites.block[b].exists()) continue;
    double frequency = 0;
    for (core::EdgeId e : graph.in(b)) frequency += weights[e];
    costs.vertex[b] = frequency * price(sites.block[b], place);
  }
  switch (options.place) {
    case core::Placement::optimal: return core::place_edge_counters(graph, costs, why_not);
    case core::Placement::redundant: return core::place_block_counters(graph, costs, holds_code, why_not);
    case core::Placement::vertex: return core::place_vertex_counters(graph, costs, why_not);
    case core::Placement::vertex_edge: return core::place_vertex_edge_counters(graph, costs, why_not);
  }
  return std::nullopt;
}

}  // namespace chord::weave
