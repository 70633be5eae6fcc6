// How often each heuristic about branches was right in a run: the measurement that the
// probabilities in format/facts/branch_hints.cc come from.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "analysis/program/program.h"
#include "format/facts/branch_hints.h"

namespace chord::analysis {

struct BranchStudy {
  struct Row {
    uint64_t branches = 0;  // that ran and that the heuristic says something about
    uint64_t executed = 0;
    uint64_t right = 0;     // executions that went the favoured way
    uint64_t majority = 0;  // executions right if each branch is predicted by its own majority
    double shares = 0;      // sum over branches of the share that was right
  };
  std::string program;
  std::array<Row, format::kHeuristics> rows;
  Row all;  // all branches, predicted by the evidence combined
};

// The program must have been loaded with texts.
BranchStudy study_branches(const Program &program);

}  // namespace chord::analysis
