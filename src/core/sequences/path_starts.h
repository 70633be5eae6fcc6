// More starts of paths where too many paths come together (core/sequences/path_tokens.h).
//
// P(v), the number of paths that go on from v, is the sum over its successors, of which starts count one. While there is a vertex with P above the limit: of the first
// such vertex whose successors are within it, the successor with most paths becomes a start.
//
// Invariant: a vertex is *settled* once P is within the limit for it, and so for all that it leads to; P of no other vertex is looked at. A new start
// lowers P of settled vertices before it, and those are counted again, nearest first. O(E log E) and, for each new start, the settled vertices
// before it that P changes of: paths are short where P is small, so in practice O(1).
// Tested by tests/property/path_tokens_test.cc: the same starts as by counting everything again for each.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

// `taken` (by edge): paths go along it. `can_start`, `start` (by vertex). Edges that are taken do not lead to the root and close no cycle without a start. False: P stays above the limit somewhere.
bool shorten_paths(const Graph &graph, const std::vector<bool> &taken, const std::vector<bool> &can_start, uint64_t limit, std::vector<bool> &start);

}  // namespace chord::core
