// eprof(ecnt): the cheapest edge counters from which every edge count follows.
//
// Counters go on the chords of a maximum spanning tree (core/graph/spanning_tree.h). With
// the return edge present flow is conserved at every vertex, so the tree's counts
// follow from the chords' (core/counters/solve_counts.h), and fewer counters cannot do: an
// uncounted cycle could carry any amount of flow. (Knuth and Stevenson 1973; Ball
// and Larus 1994.)
//
// Number of counters = E - V + 1 - (never edges) when the graph hangs together
// without its never edges. O(E log E).
#pragma once

#include <optional>
#include <string>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

// Counters in ascending order of edges. Nothing, and the reason, if the costs do
// not fit the graph or edges that cannot carry code close a cycle.
std::optional<Plan> place_edge_counters(const Graph &graph, const Costs &costs, std::string &why_not);

// Empty if the graph has no defect and `costs` fits it: one cost per edge (and per
// vertex if `with_vertices`), none NaN, and the return edge not marked never.
std::string costs_defect(const Graph &graph, const Costs &costs, bool with_vertices);

// The edges marked never, ascending.
std::vector<EdgeId> never_edges(const Costs &costs);

}  // namespace chord::core
