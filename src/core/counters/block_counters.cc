#include "core/counters/block_counters.h"

#include "core/counters/vertex_counters.h"

namespace chord::core {

std::optional<Plan> place_block_counters(const Graph &graph, const Costs &costs,
                                         const std::vector<bool> &holds_code, std::string &why_not) {
  return complete_vertex_counters(graph, costs, holds_code, Placement::redundant, why_not);
}

}  // namespace chord::core
