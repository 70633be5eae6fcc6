// Vertex profile from edge counters as first published (Ball and Larus 1994), with
// its marking of vertices, to compare core/counters/vertex_edge_counters.h with. Tests only.
#pragma once

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::reference {

core::Plan published_vertex_edge_counters(const core::Graph &graph, const core::Costs &costs);

}  // namespace chord::reference
