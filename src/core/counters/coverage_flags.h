// Which edges and vertices ran at all, from flags that are set and never counted up.
//
// The flow law does not hold for "ran at all": where two edges meet, nothing tells which of them was taken from what
// happened before and after. What holds is dominance: whoever has passed x has passed everything that dominates x. (That
// whoever passes x comes to what post-dominates x does not hold: activations may end at any instruction.)
//
// Elements are the vertices ("was entered") and the edges ("was taken"); a vertex is followed by its out-edges, an edge by its
// target. An element x is a *leaf* if it dominates none of its successors:
//   - an edge into a vertex that can be entered without it, that is, has another in-edge whose source it does not dominate;
//   - an edge to the exit (who returns leaves no other trace);
//   - a vertex without out-edges, in which every activation ends (a call that never returns).
// Flags are put on the leaves and nowhere else.
//
// Invariant: x ran if and only if x is a leaf whose flag is set, or a successor of x ran, or an activation ended in x.
//   "If": every successor of an element that is no leaf is dominated by it. (The out-edges of a vertex have no other
//   predecessor; an edge has one successor.) And to end in x is to have entered it.
//   "Only if": who passes x goes on to a successor or ends in x.
// The invariant determines everything: followed from x on, it only leads to elements that x dominates, and as dominance is a
// partial order it never comes back to x; so it ends in leaves and in known ends. Backwards from those it is one walk, O(V + E).
//
// No flag can be left out. Let the edge e = (u, v) be a leaf that has none, P a walk to u and Q a walk to v without e. Then
// {P ended in u, Q ended in v, Q ended in v} and {P ended in u, Q ended in v, P e ended in v} show the same flags and the same
// ends, and e ran in the second only. (An edge to the exit: {P ended in u} and {P ended in u, P e}.) A vertex without out-edges
// would follow from the ends alone; its flag makes it independent of whether those cancel out in a sum of segments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

// The leaves: edges, then vertices, both ascending. Edges in `costs.never` do not exist. None, with the reason, if no code can be put
// where a flag is needed. O(V + E) but for the depth of dominator trees.
std::optional<Plan> place_flags(const Graph &graph, const Costs &costs, std::string &why_not);

struct Ran {
  std::vector<bool> edge;
  std::vector<bool> vertex;  // was entered
  std::string contradiction;
};

// `set`: by counter of the plan; `ended`: vertices in which activations ended. Where activations were running already when
// observation began (`begun`), a vertex may have been passed that was not entered: then nothing contradicts.
Ran solve_ran(const Graph &graph, const Plan &plan, const std::vector<bool> &set, const std::vector<bool> &ended, bool begun);

}  // namespace chord::core
