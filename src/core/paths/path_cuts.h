// Where paths are cut so that a procedure has no more of them than can be numbered.
//
// A cut edge u->w ends the paths that come to it, and others start at w. With F(v) the number of paths from
// v to an end and T(v) that of paths from a start to v, T(u) * F(w) paths run through the edge;
// cutting it leaves T(u) of them, and F(w) that start at w, unless some did before. The
// total falls by
//     T(u) * (F(w) - 1) - (w is a start ? 0 : F(w)),
// and by T(w) * (F(w) - 1) - F(w) if all edges into w are cut. What is paid is a count whenever
// control takes a cut edge.
//
// Greedily, the cut is made that is worth most for its cost: the share of all paths that it saves, times the
// logarithm of how few are left of those through it. (The share alone does not tell the middle of a
// long chain from its ends; and of two that cost the same for their share the larger is better.) In the end those are taken back that the others made needless, the
// most expensive first. The greedy part goes round by round in O(E), and large graphs get several cuts in a round, so rounds are at most 2,048. To take a
// cut back is judged in O(1) by the same formula; if it is taken back, only vertices before and after it that uncut edges connect with it are counted again, 2^24 at most in all.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

// Adds to `cut` (by edge) until at most `limit` paths are left. False if more are left
// wherever it is cut. `topological`: all vertices, each after those that uncut edges
// come from; `cost` (by edge, may be empty): what a cut there costs; `never` (likewise): edges on no path.
bool limit_paths(const Graph &graph, const std::vector<Vertex> &topological, const std::vector<double> &cost,
                 const std::vector<bool> &never, uint64_t limit, std::vector<bool> &cut);

}  // namespace chord::core
