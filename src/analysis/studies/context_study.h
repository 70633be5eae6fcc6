// What trees of calling contexts look like: the statistics of Ammons, Ball and Larus, "Exploiting Hardware Performance Counters with Flow
// and Context Sensitive Profiling" (1997), table 3, for any program with a profile of contexts; and, where programs were run for it, what
// of their table 1 is about contexts: the time of the plain program, and how many times that the woven one took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/program/program.h"

namespace chord::analysis {

struct ContextStudy {
  std::string program;
  uint64_t nodes = 0, roots = 0;
  uint64_t record_bytes = 0;     // of all records, as the program made them
  uint64_t interior = 0;         // nodes that have children
  uint64_t leaves = 0, depths = 0;  // depths of all leaves added up; a root's is 1
  uint64_t highest = 0;
  uint64_t most_copies = 0;      // contexts of one function
  std::string most_copied;       // that function
  uint64_t sites = 0, used = 0;  // calls in all records; those that led to contexts
  uint64_t reached = 0;          // those that were made
  uint64_t one_path = 0;         // … and that one path alone came to, in their context
  bool has_paths = false;        // that is known of some functions
  uint64_t profile_bytes = 0;    // set by who read it
  std::optional<uint64_t> plain_time, woven_time;  // set by who ran it: of the processor, in nanoseconds

  double degree() const { return interior == 0 ? 0 : static_cast<double>(nodes - roots) / static_cast<double>(interior); }
  double height() const { return leaves == 0 ? 0 : static_cast<double>(depths) / static_cast<double>(leaves); }
  double record() const { return nodes == 0 ? 0 : static_cast<double>(record_bytes) / static_cast<double>(nodes); }
};

// Of a program that was loaded with LoadOptions::context_details.
ContextStudy study_contexts(const Program &program);

}  // namespace chord::analysis
