// Probes for chosen paths only: every chosen path gets a sum that no other path has,
// with as few probes as can be (after Apiwattanapong and Harrold, "Selective Path
// Profiling", 2002).
//
// The graph is an acyclic one with a return edge, as PathNumbering::dag; a path is
// the list of its edges from root to exit.
//
// `published` is the paper's algorithm, kept for study. It is not sound: its second
// phase pushes values down through vertices with one in-edge before its third drops
// the values on edges of no chosen path, and what was pushed onto such an edge is
// lost. Some other path may then have the sum of a chosen one.
//
// `sound` works on the set Z of probed edges first and on values second.
//
// Claim 1. Values on Z that tell the chosen path p from every other path exist if
// and only if no other path holds exactly the edges of Z that p holds.
//   If q holds the same ones, its sum is p's whatever the values. Otherwise values
//   exist by claim 2.
// Claim 2. Let the level of an edge of Z be the greatest number of Z edges before it
// on any path. Of two Z edges on one path the later has the greater level, so a path
// holds at most one edge of each level. Number the edges of a level from 1 and let
// the number be a digit of a mixed-radix number, one digit per level: the sum along
// a path spells out exactly which edges of Z it holds.
// Claim 3. Cut p into segments at its Z edges. No other path holds the same Z edges
// exactly if no Z-free detour leaves a segment of p and comes back to the same
// segment: a path with p's Z edges passes all of them, in p's order, and between
// two of them runs Z-free from where p's segment starts to where it ends.
//
// So: start from a set that suffices (all edges; all edges of chosen paths; the
// published support if it suffices) and take back one edge after the other as long
// as claim 3 holds, the most expensive first; keep the cheapest result. Taking back x->y
// can open only two kinds of detours, so a test costs one search and one look at each
// chosen path:
//   - a chosen path holds x->y, and some Z-free path leads from the segment before it
//     to the segment after it;
//   - a chosen path does not hold x->y, and one of its segments has a vertex from
//     which x, and after it a vertex that y, is reached Z-free.
// For a single path with edges of equal cost, starting from its own edges and going
// from the root downward, the result has the fewest probes possible on its edges:
// detours are intervals of the path, and this is the greedy choice of points that
// stab all intervals. The result never has a higher cost than the published one
// where that one is right.
//
// Should the mixed-radix numbers exceed a given bound (or 64 bits, with more than 63
// levels), values are those of the paper's first phase with edges of no chosen path
// dropped. All of these are below the number of paths, and they are sound: at each vertex other edges come first, so the sums of paths that leave
// along a chosen edge lie above all sums of those that leave along another edge,
// and lowering values of the latter moves them further away.
//
// O(E log E + |chosen edges| * total length of chosen paths) and one search of the
// graph per edge in the worst case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

using EdgePath = std::vector<EdgeId>;

struct SelectiveProbes {
  std::vector<int64_t> value;  // by edge; 0: no probe
  std::vector<uint64_t> sums;  // by chosen path
};

// Empty if the graph is acyclic without its return edge, has fewer than 2^64 paths,
// and every path leads from root to exit; else what is wrong.
std::string selection_defect(const Graph &dag, const std::vector<EdgePath> &paths);

// All three phases as published. For study only.
SelectiveProbes select_paths_published(const Graph &dag, const std::vector<EdgePath> &paths);

// `cost` by edge; infinite where no code can be put. Sums stay below `most_sums` or the
// number of paths, whichever is greater; 0: below 2^64. Nothing, and the reason, if the
// selection has a defect or no set of finite cost tells the chosen paths apart.
std::optional<SelectiveProbes> select_paths_sound(const Graph &dag, const std::vector<EdgePath> &paths,
                                                  const std::vector<double> &cost, std::string &why_not,
                                                  uint64_t most_sums = 0);

}  // namespace chord::core
