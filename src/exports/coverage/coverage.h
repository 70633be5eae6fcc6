// What coverage viewers ask: for each source file its functions, lines and branches,
// and how often each ran.
//
// Lines count as in `chord report --by=line`. Branches are those of the machine code: the
// outcomes of conditional jumps, and the targets of indirect jumps that have their
// dispatch vertex for themselves. A line that was inlined or instantiated several times
// has the branches of all its copies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::exports {

struct CoveredLine {
  uint32_t line = 0;
  uint64_t hits = 0;
  uint64_t executed = 0;  // instructions
};

struct CoveredBranch {
  uint32_t line = 0;
  uint32_t jump = 0;     // number of the jump on its line
  uint32_t outcome = 0;  // number of the outcome of that jump
  bool fallthrough = false;
  bool reached = false;  // the jump was executed at all
  uint64_t taken = 0;
};

struct CoveredFunction {
  std::string name;  // linkage name
  uint32_t line = 0;
  uint32_t last_line = 0;
  uint64_t calls = 0;
  uint64_t blocks = 0, blocks_executed = 0;
};

struct CoveredFile {
  std::string path;
  std::vector<CoveredFunction> functions;  // by line, then name
  std::vector<CoveredLine> lines;          // by line
  std::vector<CoveredBranch> branches;     // by line, jump, outcome
};

// How many there are and how many of them ran.
struct Share {
  uint64_t all = 0, hit = 0;
  void add(bool ran) {
    ++all;
    hit += ran ? 1 : 0;
  }
  Share &operator+=(const Share &other) {
    all += other.all;
    hit += other.hit;
    return *this;
  }
  // 1 where there are none: nothing is missing.
  double rate() const { return all == 0 ? 1 : static_cast<double>(hit) / static_cast<double>(all); }
};
Share lines_of(const CoveredFile &file);
Share functions_of(const CoveredFile &file);
Share branches_of(const CoveredFile &file);

struct Coverage {
  std::vector<CoveredFile> files;  // by path; those with lines
  std::vector<std::string> warnings;
};

// Throws Error if no function has a source line.
Coverage measure_coverage(const analysis::Program &program);

}  // namespace chord::exports
