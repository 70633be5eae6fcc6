// vprof(vcnt): the cheapest vertex counters from which every vertex count follows
// (Knuth and Stevenson, "Optimal Measurement Points for Program Frequency Counts",
// 1973).
//
// Give every vertex v an in-port and an out-port, and let every edge u->v glue
// out(u) to in(v). The classes of glued ports are the vertices of the reduced
// graph; each vertex v of the procedure is an arc of it, from class(in(v)) to
// class(out(v)). Flow is conserved in every class, whatever the edges inside it
// carry, so counters are needed exactly on the arcs outside a spanning tree of the
// reduced graph, and a tree of greatest cost leaves the cheapest counters.
//
//   while loop  R->H, H->B, B->H, H->X, return edge X->R:
//   classes {out R, in H, out B}, {out H, in B, in X}, {out X, in R}; arcs R, H, B, X;
//   a tree has two of them, so two counters do (B and one of the others).
//
// A vertex that can hold no code (infinite cost: entry, exit, dispatch) is taken
// into the tree first. Where the tree has no room for it, its count is measured on
// all its in-edges or all its out-edges instead, whichever is cheaper; the plan
// then has edge counters too. Edges marked never glue nothing. An edge marked wanted
// glues nothing either: it is an arc of the reduced graph itself, as if a vertex stood
// on it, and so has a count that is measured or follows.
//
// O(E + V log V). Least cost among all sets of vertex counters that determine every
// vertex count, when every vertex can hold one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

// On equal cost vertices (and wanted edges) later in topological order stay without a counter, for
// the reason given in core/graph/spanning_tree.h.
std::optional<Plan> place_vertex_counters(const Graph &graph, const Costs &costs, std::string &why_not);

// The same, given that the vertices marked in `counted` get a counter anyway: one
// for each of them and the fewest besides. `placement` names the result.
std::optional<Plan> complete_vertex_counters(const Graph &graph, const Costs &costs,
                                             const std::vector<bool> &counted, Placement placement,
                                             std::string &why_not);

}  // namespace chord::core
