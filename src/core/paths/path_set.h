// The paths of a numbering that control can take and that a pattern accepts, found without
// looking at all others: a procedure may have 2^60 of them.
//
// A pattern reads a path vertex by vertex, as a finite automaton does. Paths are counted
// from each vertex and state on, once for each pair that can be met (the paper's count of
// paths from a vertex, with states); with these counts the k-th path is found by walking
// down from the start, skipping at each edge as many as start with the edges before it.
//
//   PathSet all(numbering, never);            // every path that can be taken
//   for (uint64_t k = 0; k < all.size(); ++k) use(all.number(k));   // ascending
//
// Counting is O(edges * states met), a path O(its length * log of the pairs).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/paths/path_numbering.h"

namespace chord::core {

struct PathPattern {
  // The state after vertex v, read in `state`; nothing if no path that is wanted goes so.
  // The first is read in state 0, the exit never is.
  std::function<std::optional<uint64_t>(uint64_t state, Vertex v)> step;
  std::function<bool(uint64_t state)> accepts;  // at the end
};

class PathSet {
 public:
  // `never`, by edge of the procedure: control does not take it. The numbering must
  // outlive the set. Without a pattern every path is accepted.
  PathSet(const PathNumbering &numbering, std::vector<bool> never, PathPattern pattern = {});

  uint64_t size() const { return size_; }
  uint64_t number(uint64_t k) const;  // of the k-th path, k < size()
  bool contains(uint64_t number) const;

 private:
  uint64_t count(Vertex v, uint64_t state);
  std::optional<uint64_t> next_state(EdgeId e, uint64_t state) const;
  bool can_take(EdgeId e) const;

  const PathNumbering &numbering_;
  std::vector<bool> never_;
  PathPattern pattern_;
  std::map<std::pair<Vertex, uint64_t>, uint64_t> paths_;  // from a vertex in a state on
  uint64_t size_ = 0;
};

}  // namespace chord::core
