// What activations ran, by walking them. Slow and plain on purpose, for tests only.
#pragma once

#include <functional>
#include <vector>

#include "core/graph/graph.h"

namespace chord::reference {

// What one activation left: edges taken, vertices entered, and the vertex it ended in early (kNone: it returned).
struct Walk {
  std::vector<bool> edge, vertex;
  core::Vertex ended = core::kNone;
};

// Every activation of at most `steps` edges, returned or ended in any vertex on the way, but for those that leave what another left.
// `never`: by edge; empty: none.
std::vector<Walk> all_walks(const core::Graph &graph, const std::vector<bool> &never, uint32_t steps);

// What several left together.
struct Traces {
  std::vector<bool> edge, vertex, ended;
};
Traces traces_of(const core::Graph &graph, const std::vector<const Walk *> &walks);

}  // namespace chord::reference
