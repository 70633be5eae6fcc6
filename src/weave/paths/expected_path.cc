#include "weave/paths/expected_path.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::EdgeKind;

std::optional<ExpectedPath> expected_path(const assembly::Procedure &p, const core::Graph &graph,
                                          const std::vector<double> &weights, const core::PathProbes &probes,
                                          const std::vector<bool> &restarts, core::EdgeId e) {
  ExpectedPath path;
  auto goes_on = [&](uint32_t v) { return p.blocks[v].kind == BlockKind::code || p.blocks[v].kind == BlockKind::join; };
  for (core::Vertex v = p.edges[e].from; goes_on(v);) {
    double all = 0;
    core::EdgeId best = core::kNone;
    for (core::EdgeId in : graph.in(v)) {
      all += weights[in];
      if (best == core::kNone || weights[in] > weights[best]) best = in;
    }
    if (best == core::kNone || weights[best] <= 0 || p.edges[best].kind == EdgeKind::never) return std::nullopt;
    path.likely *= weights[best] / all;
    if (restarts[best]) {
      path.number += probes.edge[best].restart;
      return path;
    }
    if (probes.edge[best].ends) return std::nullopt;
    path.number += probes.edge[best].add;
    v = p.edges[best].from;
  }
  return std::nullopt;
}

}  // namespace chord::weave
