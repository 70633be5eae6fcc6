// What a procedure needs to count chosen paths and no others: the algorithms of
// core/paths/selective_paths.h brought to its numbered paths (core/paths/path_numbering.h).
//
// A path that ends where no chosen one ends is never counted, so no chosen path has to
// be told from it; nor from partial paths that cannot end: after a call that does not
// return there is only the edge that makes the exit reachable. Only what is left of the
// graph gets probes: the edges from which a chosen path's last edge can be reached. With
// a vertex its predecessors are part of it, so what the register holds there is known;
// elsewhere it may hold anything, and is set where control comes back. (`published` gets
// the graph of all paths that come to an end.)
//
// A chosen path's sum is the index of its counter, so counting needs no comparison:
// other paths that end on the same edge count in words that nobody reads. For that the
// sums must be few. Those of `sound` are bounded by `most_sums` (and by the number of
// paths where that does not hold), those of `published` and of the full numbering by
// the number of paths. The full numbering is what is left where nothing else can be
// done, and is taken where it costs less. Where all sums are too many for a table they
// are counted by number, as all paths of such a procedure are.
//
//   a loop with no chosen path in it gets no probe but where it is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/paths/path_numbering.h"

namespace chord::core {

// Counters in a table by number; beyond that they are found by hashing.
inline constexpr uint64_t kLargestPathTable = 2048;

enum class PathAlgorithm : uint8_t { sound, published };

struct ChosenPaths {
  PathProbes probes;           // `partial` is empty
  std::vector<bool> counts;    // by edge of the procedure: it ends a chosen path
  std::vector<bool> restarts;  // by edge: it ends a path, and the register must be set
  // The register would always hold this number: it need not exist.
  std::optional<int64_t> constant;
  std::vector<uint64_t> slots;  // by chosen path: the index it counts at
  uint32_t words = 0;           // indices are below, unless
  bool by_number = false;       // there are too many for a table
  uint32_t additions = 0;       // probes that add and do nothing else
  double cost = 0;              // of these, as given by edge
};

struct ChosenPathsProblem {
  const Graph &graph;
  const PathNumbering &numbering;
  const std::vector<uint64_t> &numbers;  // ascending, each of a path that can be taken (is_possible_path)
  const std::vector<double> &cost;       // by edge of the procedure; infinite where no code can be put
  const std::vector<bool> &never;        // likewise: control does not take it
  PathAlgorithm algorithm = PathAlgorithm::sound;
  uint64_t most_sums = kLargestPathTable;  // where more are needed, counters are found by number
};

// Nothing, and the reason, if edges that cannot carry a probe keep the paths from being distinguished.
std::optional<ChosenPaths> place_chosen_probes(const ChosenPathsProblem &problem, std::string &why_not);

// False if the path holds an edge that control does not take.
bool is_possible_path(const PathNumbering &numbering, const std::vector<bool> &never, uint64_t number);

}  // namespace chord::core
