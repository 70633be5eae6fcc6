// One counter per vertex that holds code: the placement of Weinberger, "Cheap
// Dynamic Instruction Counting" (1984), kept to compare the others with.
//
// Vertex counts are then measured, not derived. Edge counts follow as far as the
// flow law goes (Counts::edge_known). Vertices without code (entry, exit, dispatch)
// mostly follow too; where they would not - the number of activations of a
// procedure whose first block is also a loop head - the fewest further counters are
// added by core/counters/vertex_counters.h, so that every vertex count is always known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

std::optional<Plan> place_block_counters(const Graph &graph, const Costs &costs,
                                         const std::vector<bool> &holds_code, std::string &why_not);

}  // namespace chord::core
