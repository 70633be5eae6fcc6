// The tokens that witnesses write (core/sequences/witnesses.h), and what a reader makes of them.
//
// Ball and Larus, "Optimally Profiling and Tracing Programs", 1994, section 4: a procedure's tokens need only differ where one could be read for another.
// Witnesses that can come next at one place of a procedure get different values; those that never can may have the same. All that can come next at a
// place have one length, so that a reader knows how many bits to take: ceil(log2 k), if k values are needed among
// witnesses that are tied to each other so, and at least one.
//
// Invariant: of a reader who has followed control to a vertex, the next token's length is known, and its value leads along one edge at most.
// The tokens follow from the graph and the witnesses alone: the weaver, the proof and the reader of a trace all ask here.
// Tested by tests/property/witnesses_test.cc.
#pragma once

#include <vector>

#include "core/graph/graph.h"
#include "core/sequences/trace_tokens.h"

namespace chord::core {

class WitnessTokens {
 public:
  // Of edges that are no witnesses: something.
  WitnessTokens(const Graph &graph, const std::vector<bool> &never, const std::vector<EdgeId> &witnesses);

  // By edge. Empty: there are more combinations than are kept.
  const std::vector<TraceToken> &tokens() const { return tokens_; }
  // The witnesses that may come next on paths that begin with the edge; itself, if it is one.
  std::vector<EdgeId> next_on(EdgeId edge) const;
  // How many of them a reader keeps, of all edges where paths part. More than this is not read.
  static constexpr size_t kMostNext = size_t{1} << 20;

 private:
  std::vector<EdgeId> next_at(Vertex v) const;
  std::vector<std::vector<EdgeId>> read_together() const;
  void choose_values(const std::vector<std::vector<EdgeId>> &groups, const std::vector<EdgeId> &witnesses);

  const Graph *graph_;
  std::vector<bool> taken_;   // by edge: control can take it
  std::vector<bool> writes_;  // by edge
  std::vector<TraceToken> tokens_;
};

}  // namespace chord::core
