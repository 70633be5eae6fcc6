// Who calls whom: direct calls and tail calls, with the counts of their instructions.
//
// The map names the symbol of a direct call. Which function a symbol means is determined as the
// linker does it: one of the same translation unit first, then a global one of the same module,
// then a global one anywhere. Where a call through a pointer led is not recorded; its count is
// kept apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::html {

inline constexpr uint32_t kOutside = UINT32_MAX;

struct Call {
  uint32_t caller = 0;         // index in Program::procedures
  uint32_t callee = kOutside;  // likewise; kOutside: not woven
  std::string symbol;          // of the callee
  uint64_t count = 0;
};

struct CallGraph {
  std::vector<Call> calls;         // by caller, then symbol; one for each pair
  std::vector<uint64_t> indirect;  // by procedure: calls through pointers it made
};

// Procedures whose counts contradict each other make no calls.
CallGraph count_calls(const analysis::Program &program);

}  // namespace chord::html
