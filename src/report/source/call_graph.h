// Who calls whom, how often, and, where it is known, what the calls took with all
// they called.
//
// The instructions executed during the calls made at one site are known
//   - if the build measured them (chord --callsites);
//   - if the site never ran;
//   - if every activation of the callee comes from this site: then they are the callee's own
//     and those of its calls;
//   - for plain functions (of libc, say) none, unless they may have called back: some woven function
//     was called more often than direct calls explain.
// Anything else would be a guess, and is not made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/program/program.h"

namespace chord::report {

struct CallSite {
  uint32_t caller = 0;       // index in Program::procedures
  uint32_t instruction = 0;  // of the caller
  uint32_t callee = 0;       // index in Program::procedures; core::kNone: plain, or not known
  std::string_view name;     // of what is called; empty: called by address
  uint64_t calls = 0;
  bool tail = false;
  std::optional<uint64_t> inclusive;
};

struct CallGraph {
  std::vector<CallSite> sites;                // by caller, then instruction
  std::vector<std::vector<uint32_t>> made;    // by procedure: sites in it
  std::vector<std::vector<uint32_t>> called;  // by procedure: sites that call it
  // By procedure: own instructions with those of all calls it made, where known.
  std::vector<std::optional<uint64_t>> inclusive;
};

CallGraph find_calls(const analysis::Program &program);

}  // namespace chord::report
