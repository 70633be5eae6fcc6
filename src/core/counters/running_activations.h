// Where activations may have stood when counting was cut off unseen (SIGKILL).
//
// A running activation has entered a block and not left it, so the flow law fails there,
// by one. A plan with as few counters as possible hides that: what is derived, is derived
// from the law. A plan that measures every edge into the procedure and every edge out of it
// shows it: the ports of the solver (solve_counts.cc) that unmeasured arcs connect form
// trees, and a tree into which k more went than came out holds k running activations.
//
// Where in its tree each one stands is open within bounds. An arc of the tree carries
// what is too much below it, less the number S that stands below: from below upwards
// S <= excess, downwards S >= excess, since no count is negative. Bounds go up the tree,
// a choice within them comes down: O(V + E). Every count then is right up to the number
// of activations in its tree.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/counters/plan.h"
#include "core/counters/solve_counts.h"
#include "core/graph/graph.h"

namespace chord::core {

// `may_hold`: vertices in which an activation can stand.

// Does the plan measure the paths from the root, and to the exit, before they come to such
// a vertex?
bool measures_ends(const Graph &graph, const Plan &plan, const std::vector<bool> &may_hold);

// The same plan with counters where it does not, as far as they can be placed. After a call
// that returns twice they cannot: one more return looks like one activation that stands there.
Plan measure_ends(const Graph &graph, const Costs &costs, const std::vector<bool> &may_hold, Plan plan);

// Running activations by vertex, to be added to the early exits. None if no choice explains the numbers, or unmeasured arcs form
// a cycle.
std::optional<std::vector<uint64_t>> running_activations(const Graph &graph, const Plan &plan,
                                                         const Measurement &measured,
                                                         const std::vector<bool> &may_hold);

}  // namespace chord::core
