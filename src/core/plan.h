// A plan: what to count, and where. The only thing that leaves core/ toward the
// weaver, and, written into the map, all that reconstruction needs besides the
// graph and the measured numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph.h"

namespace chord::core {

enum class Placement : uint8_t {
  optimal,      // eprof(ecnt): counters on the chords of a maximum spanning tree
  redundant,    // one counter per vertex that holds code
  vertex,       // vprof(vcnt): vertex counters, Knuth-Stevenson
  vertex_edge,  // vprof(ecnt): vertex counts from fewer edge counters
  none,         // nothing is counted, and nothing can be told
};

enum class Site : uint8_t { edge, vertex };

// A counter that goes up by one each time its edge (vertex) is executed.
struct Counter {
  Site site = Site::edge;
  uint32_t id = 0;  // EdgeId or Vertex
  bool operator==(const Counter &) const = default;
};

struct Plan {
  Placement placement = Placement::optimal;
  std::vector<Counter> counters;  // index = number of the counter in memory
  std::vector<EdgeId> never;      // edges that control cannot take: known to be 0
};

// What the planner must know about a place besides the graph.
struct Costs {
  // Expected cost of a counter on each edge (frequency times price of a probe
  // there); infinity where no code can be put. The return edge is always so.
  std::vector<double> edge;
  // The same for a counter at the start of each vertex.
  std::vector<double> vertex;
  // Edges that control cannot take (they only make the exit reachable, as behind
  // a call that never returns): count 0, no counter, and not in any tree.
  std::vector<bool> never;
  // Edges whose own count is asked for, whatever the placement (something is
  // executed on them); empty means none. Placements that leave edges open count
  // such an edge as if a vertex stood on it.
  std::vector<bool> wanted;
};

}  // namespace chord::core
