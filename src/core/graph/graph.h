// Control-flow graphs as every algorithm in core/ sees them.
//
// A directed multigraph with a root and an exit, both vertices like any other.
// Every vertex is reachable from the root and reaches the exit. The edge
// exit->root (the return edge) is always present, so that a complete execution
// is a directed cycle and flow is conserved at *every* vertex; its count is the
// number of entries into the procedure. Parallel edges and self-loops are
// allowed; edge numbers, never (from, to) pairs, identify edges.
//
// Plain data. No knowledge of instructions: what a vertex stands for is the
// business of src/assembly (when weaving) and src/format (when reading back).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"

namespace chord::core {

using Vertex = Id<struct VertexName>;
using EdgeId = Id<struct EdgeName>;
using chord::kNone;

struct Edge {
  Vertex from = 0;
  Vertex to = 0;
};

class Graph {
 public:
  Graph() = default;
  // A graph of `vertices` vertices whose edge 0 is exit->root.
  Graph(uint32_t vertices, Vertex root, Vertex exit);

  EdgeId add_edge(Vertex from, Vertex to);

  uint32_t vertex_count() const { return vertex_count_; }
  uint32_t edge_count() const { return static_cast<uint32_t>(edges_.size()); }
  Vertex root() const { return root_; }
  Vertex exit() const { return exit_; }
  static constexpr EdgeId return_edge() { return 0; }
  const Edge &edge(EdgeId e) const { return edges_[e]; }
  const std::vector<Edge> &edges() const { return edges_; }

  // Edge numbers leaving / entering v, in order of insertion (return edge included).
  const std::vector<EdgeId> &out(Vertex v) const { return out_[v]; }
  const std::vector<EdgeId> &in(Vertex v) const { return in_[v]; }

  // Empty if the graph keeps the promises above, else the first one broken.
  std::string defect() const;
  // One line per edge, for tests and debugging.
  std::string dump() const;

 private:
  uint32_t vertex_count_ = 0;
  Vertex root_ = 0;
  Vertex exit_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::vector<EdgeId>> out_;
  std::vector<std::vector<EdgeId>> in_;
};

}  // namespace chord::core
