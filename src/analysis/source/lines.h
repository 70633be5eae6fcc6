// Counts by source line. docs/line-counts.md says for users what they mean.
//
// A block is cut after its calls into *stretches*; a stretch visits each of its
// lines once, however often the compiler moves to and fro between them. A visit
// continues the line if control came straight from a stretch that ended in the same
// line, else it is an arrival. Then
//
//   count(line) = arrivals + repetitions of loops that never leave the line
//
// where repetitions are the counts of the back edges (depth-first) of the graph of
// visits that continue the line. O(instructions + edges).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

struct SourceFile {
  std::string name;  // as the compiler was given it
  std::string path;  // absolute, where it can be told
  // What its text hashed to (base::hash_text) when units were compiled; several if it changed meanwhile.
  std::vector<uint64_t> hashes;
};

struct LineCount {
  uint32_t file = 0;  // index in LineTable::files
  uint32_t line = 0;
  uint64_t count = 0;
  uint64_t executed = 0;  // instructions executed
  uint32_t instructions = 0;
  const CountedProcedure *procedure = nullptr;  // the one that executed most instructions of it
  uint64_t procedure_executed = 0;
  bool exact = true;  // false: some procedure on it has contradictory counts
  bool certain = true;  // false: some procedure on it may be off (CountedProcedure::certain)
  // False: `count` depends on edges that the placement of counters left open.
  bool count_known = true;
  // None of its own instructions ran, but what was inlined at it did: `count` is how often control came to that.
  bool ran_inlined = false;
  MetricValues metrics = {};  // of its instructions, where metrics are measured for each
};

struct LineTable {
  std::vector<SourceFile> files;
  std::vector<LineCount> lines;  // by file, then line; one entry each
};

// `only`: of these procedures alone; empty: of all.
LineTable count_lines(const Program &program, const std::set<const CountedProcedure *> &only = {});

// The absolute path of one of the unit's files, where it can be told.
std::string source_path(const format::UnitMap &unit, const std::string &file);

// Source files of all units, each absolute path once, numbered by first mention.
class FileTable {
 public:
  explicit FileTable(const Program &program);
  // The number of the unit's file, as in LineTable::files.
  uint32_t number(const format::UnitMap &unit, uint32_t file) const { return numbers_.at(&unit)[file]; }
  const std::vector<SourceFile> &files() const { return files_; }

 private:
  std::vector<SourceFile> files_;
  std::unordered_map<const format::UnitMap *, std::vector<uint32_t>> numbers_;
};

// A line as one number; 0 is none.
inline uint64_t line_key(uint32_t file, uint32_t line) { return uint64_t{file} << 32 | line; }
// By instruction of the procedure: its line.
std::vector<uint64_t> line_keys(const CountedProcedure &procedure, const FileTable &files);

// How often control came to a line from elsewhere, where `keys` say which line each instruction belongs to.
struct Arrivals {
  uint64_t count = 0;
  bool known = true;  // as LineCount::count_known
};
std::unordered_map<uint64_t, Arrivals> count_arrivals(const CountedProcedure &procedure, const std::vector<uint64_t> &keys);

}  // namespace chord::analysis
