// What every placement of counters would cost on a run that has been counted: the
// tables of Ball and Larus, "Optimally Profiling and Tracing Programs" (1994), for any
// program with a profile.
//
// The plans are made anew from the map's graphs; counts of one profile tell what each
// of them would have executed. A probe counts as one instruction, which it is where
// flags are dead, and a stub as one jump more.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

enum class StudiedWeights : uint8_t {
  paper,     // the structural heuristic of the paper
  estimate,  // ours: branch heuristics over the loop nest
  measured,  // this very run: the least possible
  worst,     // this run, the dearest choice (minimum spanning tree)
};
inline constexpr std::array kStudiedWeights = {StudiedWeights::paper, StudiedWeights::estimate,
                                               StudiedWeights::measured, StudiedWeights::worst};
inline constexpr std::array kStudiedPlacements = {core::Placement::redundant, core::Placement::vertex,
                                                  core::Placement::optimal, core::Placement::vertex_edge};

struct PlacementCost {
  core::Placement placement = core::Placement::optimal;
  StudiedWeights weights = StudiedWeights::paper;
  uint64_t counters = 0;      // places that hold one
  uint64_t jumps = 0;         // of these, in a stub that takes a jump
  uint64_t increments = 0;    // executed in the run
  uint64_t instructions = 0;  // increments and jumps executed
};

struct PlacementStudy {
  std::string program;
  uint64_t procedures = 0, blocks = 0, edges = 0;
  uint64_t executed = 0;             // instructions of the program itself, in the procedures studied
  uint64_t left_out = 0;             // procedures whose edge counts are not known, or that no plan fits
  std::vector<PlacementCost> costs;  // kStudiedPlacements × kStudiedWeights

  const PlacementCost &at(core::Placement placement, StudiedWeights weights) const;
};

// The program must have been loaded with texts: the estimate reads them. O(E log E).
PlacementStudy study_placement(const Program &program);

}  // namespace chord::analysis
