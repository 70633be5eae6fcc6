// Numbers for all acyclic paths of a procedure (Ball and Larus, "Efficient Path
// Profiling", 1996; summarised by Ammons, Ball and Larus 1997).
//
// An execution is cut into paths at *cut edges*: all back edges of a depth-first
// search, and further edges (core/paths/path_cuts.h) where the number of paths would grow too large. A path
// starts at the root or at the target of a cut edge, and ends at the exit or with a
// cut edge, which belongs to the path it ends. So every edge taken lies on exactly
// one counted path, and edge counts follow from path counts:
//   count(e) = sum of the counts of the paths that hold e,
//   count(return edge) = sum of the counts of the paths that reach the exit.
//
// The paths are those of a DAG: the graph without cut edges, plus a new vertex
// `start` with an edge to the root and one to each target of a cut edge, plus an
// edge v->exit for each cut edge v->w. With P(exit) = 1 and P(v) = the sum of P over
// v's successors, the edge to the i-th successor gets as value the sum of P over the
// successors before it. Then the values along the paths from `start` to the exit sum
// to each of 0 .. P(start)-1 exactly once: the path's number.
//
// Sums of prefixes that lead to one vertex differ as well (two with the same sum
// would give two paths with the same number), so an activation that ends early
// leaves the number of a partial path.
//
//   while loop R->H, H->B, B->H (cut), H->X: the paths are R H X (0), R H B | (1),
//   H X (2) and H B | (3).
//
// Ways that never return can be left out. An edge that is never taken (it only makes the
// exit reachable, as after a call to abort) then stands for no path, P = 0 for vertices
// that lead to nothing else, and they get no numbers. They cannot be before a count,
// and an activation that ends in one leaves a partial path. For these to stay distinct the
// edges into such a vertex carry, in multiples of P(start), the number of paths to it
// by edges before them: sum / P(start) gives the path through vertices left out, and the
// remainder how the first of them was reached.
//
// Numbering is O(E), times the number of cuts where more are needed; regenerating a path is
// O(its length * log of the out-degrees).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

struct PathNumbering {
  Vertex start = 0;  // the DAG's additional vertex
  Graph dag;         // root = start; exit and all other vertices as in the procedure
  // By DAG edge: the procedure's edge it stands for (a plain edge, or the cut edge
  // that ends the path here); kNone for the return edge and edges out of `start`.
  std::vector<EdgeId> original;
  std::vector<uint64_t> value;  // by DAG edge
  std::vector<bool> cut;        // by edge of the procedure
  // By edge of the procedure: the DAG edge where a cut edge ends a path, or the
  // plain edge's twin; kNone for the return edge.
  std::vector<EdgeId> dag_edge;
  std::vector<EdgeId> start_edge;    // by vertex: DAG edge start->v, or kNone
  std::vector<uint64_t> paths_from;  // by vertex, `start` included
  uint64_t paths = 0;                // numbers are 0 .. paths-1
  uint32_t extra_cuts = 0;           // cut edges that are not back edges
  std::vector<bool> left_out;        // by DAG edge: on no path; empty: none is left out
  std::string dump() const;
};

// A numbering with at most `limit` paths. Nothing, with the reason, if the graph has
// a defect, its exit has out-edges besides the return edge, or not even cutting
// everywhere meets the limit. `weight` (by edge, may be empty) tells which cuts hurt;
// `forced` (by edge, may be empty) are edges to be cut in any case, `never` (likewise) those
// never taken, if edges that lead only there are to be left out. They are not where nothing
// would be left.
std::optional<PathNumbering> number_paths(const Graph &graph, const std::vector<double> &weight,
                                          uint64_t limit, std::string &why_not,
                                          const std::vector<bool> &forced = {},
                                          const std::vector<bool> &never = {});

// The numbering that the cut edges alone determine: what a reader of a map does.
// Nothing, with the reason, if they leave a cycle or 2^63 paths or more.
std::optional<PathNumbering> number_cut_paths(const Graph &graph, const std::vector<EdgeId> &cuts,
                                              std::string &why_not, const std::vector<bool> &never = {});

struct Path {
  Vertex first = 0;           // root, or the target of a cut edge
  bool from_entry = false;    // starts at the root: with an activation, or after a cut edge to the root
  bool to_exit = false;       // reaches the exit by a plain edge
  std::vector<EdgeId> edges;  // of the procedure, a cut edge at the end included
  bool operator==(const Path &) const = default;
};

// The path of a number below numbering.paths; as edges of the DAG from start to exit.
std::vector<EdgeId> regenerate_dag_path(const PathNumbering &numbering, uint64_t number);
Path regenerate_path(const PathNumbering &numbering, uint64_t number);

// The path that led to vertex v when the values so far sum to `sum`; nothing if no
// path to v has that sum.
std::optional<Path> regenerate_partial_path(const PathNumbering &numbering, uint64_t sum, Vertex v);

// What woven code does on an edge of the procedure, r being the path register:
//   ends:      count[r + add]++, then r = restart unless the procedure is left
//   otherwise: r += add
struct PathProbe {
  int64_t add = 0;
  bool ends = false;
  int64_t restart = 0;
};

struct PathProbes {
  int64_t initial = 0;          // r at the root
  std::vector<PathProbe> edge;  // by edge of the procedure
  // By vertex: r + partial = sum of values so far, for regenerate_partial_path.
  std::vector<int64_t> partial;
};

// Moves the additions to the chords of a maximum spanning tree of the DAG
// (core/paths/increments.h). Additions that merge into the initial value, a restart or a
// count cost nothing and are placed first. `cost` is by edge of the procedure.
PathProbes place_path_probes(const Graph &graph, const PathNumbering &numbering,
                             const std::vector<double> &cost, const std::vector<bool> &never);

// The probes that add `increment` (by DAG edge) along every path; `partial` is left
// empty.
PathProbes path_probes(const Graph &graph, const PathNumbering &numbering,
                       const std::vector<int64_t> &increment);

// What an addition costs on each edge of the DAG, given `cost` by edge of the
// procedure: nothing where it merges with another constant or is never run.
std::vector<double> path_costs(const Graph &graph, const PathNumbering &numbering,
                               const std::vector<double> &cost, const std::vector<bool> &never);

}  // namespace chord::core
