// Counters that hold a sum of counts.
//
// A register that goes up in several places of a loop tells how often control came by any of
// them: not one count, but a sum of counts, each times its step. Whatever is linear in the
// counts of arcs (core/counters/ports.h) serves as well as a counter does. Given a plan from which all
// follows, the arcs without counters form a forest; a sum over arcs is then a combination of
// the counters alone: in it counter c has the coefficient that the sum has on the cycle that c
// closes, and all of these come from one walk over the forest, as differences of potentials.
// A counter whose coefficient is not zero can be spared: it follows from the sum and the others.
//
// Sets of linear forms on flows that are independent are a matroid, so exchanging one by one,
// cheapest sum first, each for the most expensive counter that it can replace, leaves a set of least cost.
// (Of many sums only those that promise most are tried.)
//
// Example: a loop whose body has two branches, a and b, and a third round that neither takes; p goes
// up by 1 in a and by 2 in b. p tells a + 2b: with b counted, a needs no counter.
//
// Exchange and reconstruction: O(V+E) per sum, of which a plan has few. Tested by
// property/counter_sums_test.cc against all sets of counters.
#pragma once

#include <string>
#include <vector>

#include "core/counters/plan.h"
#include "core/counters/solve_counts.h"
#include "core/graph/graph.h"

namespace chord::core {

// What a sum costs that may be used.
struct OfferedSum {
  std::vector<CounterSum::Term> terms;
  double cost = 0;
};

// The same plan with sums in place of counters that cost more. Sums come after all counters.
Plan exchange_for_sums(const Graph &graph, const Costs &costs, const std::vector<OfferedSum> &offers, Plan plan);

// Puts the counters that sums stand for in the sums' place, in the plan and in what was measured.
// Empty, or what contradicts itself. Counters of sums are signed.
std::string resolve_sums(const Graph &graph, Plan &plan, Measurement &measured);

}  // namespace chord::core
