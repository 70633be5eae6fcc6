// Tokens of a trace that number paths: one for each acyclic path, in room that is made where it starts.
//
// Larus, "Whole Program Paths", 1999, with the numbers of Ball and Larus, "Efficient Path Profiling", 1996 (core/paths/path_numbering.h). A path starts at a
// *start*, a vertex, and ends where control comes to one, or to the exit; each path of a procedure belongs to the start that it begins at, and is numbered
// among those. P(start) = P(exit) = 1 for what leads there, P(v) = the sum of P over v's successors, and an edge has as its value the sum of P over the
// successors before its own. So the values along the paths from a start sum to 0 .. P-1, each once.
//
// At a start ceil(log2 P) bits of zeros are written, and an edge adds its value to them: the number is in the trace before the path is at its end, and
// whoever is interrupted leaves the sum so far, which tells the path so far (two that lead to one vertex with one sum would go on to be two with one number).
// A vertex in which others write (a *stop*, a call) is a start, whose room is made after they have.
//
// Invariant: each directed cycle has a start; what is added never leaves the room of its path.
// The tokens follow from the graph and the starts alone: the weaver, the proof and the reader of a trace all ask here.
// Tested by tests/property/path_tokens_test.cc on all small graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

struct PathStartProblem {
  const Graph &graph;
  const std::vector<bool> &never;    // by edge: control cannot take it
  const std::vector<bool> &stops;    // by vertex: others may write there
  const std::vector<bool> &entered;  // by vertex: control may come there from outside
};

// Stops, vertices that are entered, one on each cycle, and more where paths would be too many. Ascending. Nothing: one would have to be where none can
// (`can_start`, by vertex: room can be made there).
std::optional<std::vector<Vertex>> choose_path_starts(const PathStartProblem &problem, const std::vector<bool> &can_start);

class PathTokens {
 public:
  // More bits a path has not.
  static constexpr unsigned kMostBits = 12;

  PathTokens(const PathStartProblem &problem, const std::vector<Vertex> &starts);

  // False: the starts do not do (of a damaged map).
  bool ok() const { return ok_; }
  bool is_start(Vertex v) const { return starts_[v]; }
  // What the edge adds.
  uint32_t value(EdgeId e) const { return value_[e]; }
  // Of paths that begin at the start: how many bits their numbers have.
  unsigned bits(Vertex start) const { return bits_[start]; }
  // So many paths go on from there.
  uint64_t paths_from(Vertex v) const { return paths_[v]; }
  // Of those the edges of a vertex lead to, the one that the path with so much left of its number takes.
  EdgeId edge_of(Vertex v, uint32_t left) const;

 private:
  uint64_t ways_by(EdgeId e) const;
  bool order(std::vector<Vertex> &out) const;
  bool number();

  struct Ends {
    Vertex from = 0, to = 0;
  };
  Vertex root_, exit_;
  std::vector<Ends> ends_;                // by edge
  std::vector<std::vector<EdgeId>> in_;   // by vertex: those that can be taken
  std::vector<bool> starts_;
  std::vector<uint32_t> value_;
  std::vector<unsigned> bits_;
  std::vector<uint64_t> paths_;
  std::vector<std::vector<EdgeId>> out_;  // likewise, by value
  bool ok_ = false;
};

}  // namespace chord::core
