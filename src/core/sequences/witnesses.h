// Which edges of a procedure write to its trace, if an edge says as well which path led to it.
//
// Ball and Larus, "Optimally Profiling and Tracing Programs", 1994, section 4. An edge that writes is a witness; the others are free. A reader who
// stands where paths part looks at the next token: it is written by an edge that only one of the paths leads to. That can be read if and only if
//   - free edges close no directed cycle,
//   - no two free paths lead from one vertex to another (a diamond), and
//   - no free path leads from a predicate to a stop, a vertex in which others write (a call), nor to the exit: their tokens would be read in its place
//     (the paper's blocking property).
// To find the cheapest such set is NP-complete. As the paper has it, the edges nearest to predicates from which a stop is reached without another
// predicate are witnesses first; then a maximum spanning tree of the others is free. Then, which is not in the paper, each edge that is left is tried in turn and is free if
// the three properties stay: so no witness can be left out, and the set never costs more than the paper's.
//
// Invariant: after each step the free edges have the three properties. What comes after a predicate and before a stop is marked, and marks only spread. An edge
// between parts that no free edges connect closes neither cycle nor diamond. For others a search goes from the edge backward, from what that finds forward, and
// from the edge forward, nearest first and in turn, until two of them meet: O(E log E), and for each edge that would close a cycle or a diamond about as much as that
// has edges; for each that would not (in practice few), all that free paths lead to there.
// Tested by tests/property/witnesses_test.cc on all small graphs.
#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

struct WitnessProblem {
  const Graph &graph;
  const std::vector<bool> &never;  // by edge: control cannot take it
  const std::vector<bool> &stops;  // by vertex: others may write there
};

// Of an edge, cost: what it costs to write there; infinite: it cannot. Edges out of the root write nothing. Ascending. Nothing: edges that cannot write would have to.
std::optional<std::vector<EdgeId>> place_witnesses(const WitnessProblem &problem, const std::vector<double> &cost);

// Whether the other edges have the three properties.
bool are_witnesses(const WitnessProblem &problem, const std::vector<EdgeId> &edges);

}  // namespace chord::core
