// What path profiles look like, and what counting a few paths costs against counting
// all, on programs built with --paths: the path statistics of Ammons, Ball and Larus
// (1997) and the figures of Apiwattanapong and Harrold, "Selective Path Profiling"
// (2002), for any program with a profile.
//
// A probe is an edge on which woven code does anything (sets, adds, counts); what it does there
// counts once. Those that were executed follow from the counts of edges and from what the map
// says of the path register at each vertex. Chosen paths are drawn evenly from those that can be taken, the
// same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

struct PathStudy {
  std::string program;
  uint64_t functions = 0;      // that count paths
  uint64_t possible = 0;       // paths that can be taken; 2^64 - 1: or more
  uint64_t executed = 0;
  uint64_t partial = 0;        // different ones
  uint64_t instructions = 0;   // on all paths, partial ones included
  uint64_t probes = 0;         // executed: what counting cost
  struct Hot {
    uint64_t paths = 0;
    uint64_t functions = 0;    // that have one
    uint64_t instructions = 0;
  };
  Hot percent, permille;       // paths with at least 1 % and 0.1 % of the instructions
};

PathStudy study_paths(const Program &program);

inline constexpr size_t kMostStudiedPaths = 5;
inline constexpr uint64_t kStudiedDraws = 5;  // for each function and number of paths

struct SelectiveStudy {
  std::string program;
  struct Function {
    std::string name;
    uint64_t paths = 0;   // that can be taken
    uint64_t probes = 0;  // to count all of them
    // By number of chosen paths less one, over all draws; 0 draws if there are fewer paths.
    struct Cost {
      uint64_t draws = 0;
      uint64_t sound = 0, published = 0;  // probes
      uint64_t mixed_up = 0;  // draws in which the published sums are not the chosen paths' own
    };
    std::array<Cost, kMostStudiedPaths> chosen;
  };
  std::vector<Function> functions;  // with two paths and more that can be listed
};

SelectiveStudy study_selective(const Program &program);

}  // namespace chord::analysis
