#include "analysis/counting/edge_weights.h"

#include <algorithm>

namespace chord::analysis {

std::vector<uint64_t> edge_weights(const CountedProcedure &procedure) {
  const core::Counts &counts = procedure.counts;
  const std::vector<format::Edge> &edges = procedure.map->edges;
  std::vector<uint64_t> weights = counts.edge;
  std::vector<uint64_t> over = counts.vertex, open(counts.vertex.size());
  for (size_t e = 0; e < edges.size(); ++e) {
    uint64_t &left = over[edges[e].from];
    if (counts.edge_known[e]) {
      left -= std::min(left, counts.edge[e]);
    } else {
      ++open[edges[e].from];
    }
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    if (!counts.edge_known[e]) weights[e] = over[edges[e].from] / open[edges[e].from];
  }
  return weights;
}

format::Weights program_weights(const Program &program) {
  format::Weights weights;
  for (const CountedProcedure &p : program.procedures) {
    if (p.exact()) weights.add(format::shape_hash(*p.map), edge_weights(p));
  }
  return weights;
}

}  // namespace chord::analysis
