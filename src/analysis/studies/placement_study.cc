#include "analysis/studies/placement_study.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/counters/block_counters.h"
#include "core/counters/edge_counters.h"
#include "core/counters/vertex_counters.h"
#include "core/counters/vertex_edge_counters.h"
#include "core/graph/weights.h"
#include "format/facts/branch_hints.h"

namespace chord::analysis {
namespace {

using format::EdgeKind;
using format::VertexKind;

constexpr double kImpossible = std::numeric_limits<double>::infinity();

// Where an edge's probe would stand, from the kinds of edges and vertices alone: at an
// end of the edge that belongs to it only, in line on a fall-through, else in a stub.
enum class Room : uint8_t { none, in_line, stub };

class Procedure {
 public:
  Procedure(const CountedProcedure &counted, const core::Graph &graph)
      : counted_(counted),
        map_(*counted.map),
        graph_(graph),
        in_(map_.blocks.size()),
        out_(map_.blocks.size()) {
    for (size_t e = 1; e < map_.edges.size(); ++e) {
      if (map_.edges[e].kind == EdgeKind::never) continue;
      ++out_[map_.edges[e].from];
      ++in_[map_.edges[e].to];
    }
    for (const format::Edge &e : map_.edges) rooms_.push_back(room(e));
  }

  std::vector<double> weights(StudiedWeights kind) const {
    if (kind == StudiedWeights::paper) return core::paper_weights(graph_);
    std::vector<double> estimate =
        core::static_weights(graph_, format::branch_hints(map_, counted_.unit->mnemonics));
    if (kind == StudiedWeights::estimate) return estimate;
    return core::measured_weights(counted_.counts.edge, estimate);
  }

  core::Costs costs(StudiedWeights kind) const {
    std::vector<double> weight = weights(kind);
    core::Costs costs;
    for (uint32_t e = 0; e < map_.edges.size(); ++e) {
      const format::Edge &edge = map_.edges[e];
      costs.edge.push_back(rooms_[e] == Room::none ? kImpossible : weight[e] * price(rooms_[e]));
      costs.never.push_back(edge.kind == EdgeKind::never);
      costs.wanted.push_back(edge.padding_count != 0 || edge.kind == EdgeKind::enter);
    }
    for (core::Vertex b = 0; b < map_.blocks.size(); ++b) {
      bool room = map_.blocks[b].kind == VertexKind::code || (b == graph_.root() && out_[b] == 1);
      double frequency = 0;
      for (core::EdgeId e : graph_.in(b)) frequency += weight[e];
      costs.vertex.push_back(room ? frequency : kImpossible);
    }
    if (kind == StudiedWeights::worst) turn_over(costs);
    return costs;
  }

  std::optional<core::Plan> plan(core::Placement placement, const core::Costs &costs) const {
    std::string why_not;
    std::vector<bool> code;
    for (const format::Block &b : map_.blocks) code.push_back(b.kind == VertexKind::code);
    switch (placement) {
      case core::Placement::optimal:
        return core::place_edge_counters(graph_, costs, why_not);
      case core::Placement::redundant:
        return core::place_block_counters(graph_, costs, code, why_not);
      case core::Placement::vertex:
        return core::place_vertex_counters(graph_, costs, why_not);
      case core::Placement::vertex_edge:
        return core::place_vertex_edge_counters(graph_, costs, why_not);
      default:
        return std::nullopt;
    }
  }

  void add(const core::Plan &plan, PlacementCost &cost) const {
    for (const core::Counter &c : plan.counters) {
      bool edge = c.site == core::Site::edge;
      bool stub = edge && rooms_[c.id] == Room::stub;
      uint64_t count = edge ? counted_.counts.edge[c.id] : counted_.counts.vertex[c.id];
      ++cost.counters;
      cost.jumps += stub;
      cost.increments += count;
      cost.instructions += stub ? 2 * count : count;
    }
  }

 private:
  bool is_code(uint32_t b) const { return map_.blocks[b].kind == VertexKind::code; }
  static double price(Room room) { return room == Room::stub ? 2 : 1; }

  // A jump with a reach of one byte cannot be sent to a stub.
  bool is_short(const format::Edge &e) const {
    const format::Block &b = map_.blocks[e.from];
    if (b.count == 0) return false;
    const std::string &name = counted_.unit->mnemonics[map_.instructions[b.first + b.count - 1].mnemonic];
    return name.starts_with("loop") || name.ends_with("cxz");
  }

  Room room(const format::Edge &e) const {
    if (e.kind == EdgeKind::never || e.kind == EdgeKind::return_edge) return Room::none;
    if (e.kind == EdgeKind::enter) return is_code(e.to) ? Room::in_line : Room::none;
    if (is_code(e.from)) {
      if (e.kind == EdgeKind::landing) return Room::none;
      if (out_[e.from] == 1) return Room::in_line;
    }
    if (is_code(e.to) && in_[e.to] == 1) return Room::in_line;
    switch (e.kind) {
      case EdgeKind::fall:
        return Room::in_line;
      case EdgeKind::taken:
      case EdgeKind::tail_call:
        return is_short(e) ? Room::none : Room::stub;
      case EdgeKind::dispatch:
      case EdgeKind::landing:
        return is_code(e.to) ? Room::stub : Room::none;
      default:
        return Room::none;
    }
  }

  // Dear becomes cheap, so that the best plan is the worst.
  static void turn_over(core::Costs &costs) {
    double greatest = 0;
    for (const std::vector<double> *all : {&costs.edge, &costs.vertex}) {
      for (double c : *all) greatest = c == kImpossible ? greatest : std::max(greatest, c);
    }
    for (std::vector<double> *all : {&costs.edge, &costs.vertex}) {
      for (double &c : *all) c = c == kImpossible ? c : greatest - c;
    }
  }

  const CountedProcedure &counted_;
  const format::Procedure &map_;
  const core::Graph &graph_;
  std::vector<uint32_t> in_, out_;
  std::vector<Room> rooms_;
};

// False if some placement fits the procedure not at all.
bool add_procedure(const CountedProcedure &counted, std::vector<PlacementCost> &costs) {
  core::Graph graph = counted.map->graph();
  Procedure procedure(counted, graph);
  std::vector<PlacementCost> sums = costs;
  for (StudiedWeights weights : kStudiedWeights) {
    core::Costs prices = procedure.costs(weights);
    for (PlacementCost &cost : sums) {
      if (cost.weights != weights) continue;
      std::optional<core::Plan> plan = procedure.plan(cost.placement, prices);
      if (!plan) return false;
      procedure.add(*plan, cost);
    }
  }
  costs = std::move(sums);
  return true;
}

bool all_known(const CountedProcedure &p) {
  const std::vector<bool> &known = p.counts.edge_known;
  return p.exact() && std::find(known.begin(), known.end(), false) == known.end();
}

}  // namespace

const PlacementCost &PlacementStudy::at(core::Placement placement, StudiedWeights weights) const {
  return *std::find_if(costs.begin(), costs.end(), [&](const PlacementCost &c) {
    return c.placement == placement && c.weights == weights;
  });
}

PlacementStudy study_placement(const Program &program) {
  PlacementStudy study;
  study.program = program.name;
  for (core::Placement placement : kStudiedPlacements) {
    for (StudiedWeights weights : kStudiedWeights) study.costs.push_back({placement, weights});
  }
  for (const CountedProcedure &p : program.procedures) {
    if (!all_known(p) || !add_procedure(p, study.costs)) {
      ++study.left_out;
      continue;
    }
    ++study.procedures;
    study.executed += p.instructions;
    study.edges += p.map->edges.size();
    study.blocks += static_cast<uint64_t>(
        std::count_if(p.map->blocks.begin(), p.map->blocks.end(),
                      [](const format::Block &b) { return b.kind == VertexKind::code; }));
  }
  return study;
}

}  // namespace chord::analysis
