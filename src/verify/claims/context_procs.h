// What the woven text tells the runtime of procedures that keep records of calling contexts (chord_context_proc, abi/chord_abi.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "verify/claims/records.h"
#include "verify/program/pairing.h"

namespace chord::verify {

struct ContextProc {
  std::string_view id;  // thread-local label whose offset is its number; empty: it is known by its address
  uint32_t sites = 0;
  uint32_t span = 0;  // not 0: paths are counted in its records
  int64_t frame = 0, kept = 0;  // as in chord_context_proc
};

struct ContextProcs {
  std::map<std::string_view, ContextProc> by_label;
  std::map<std::string_view, std::string_view> names;  // label or id -> label
  std::string fault;                                   // empty, or what of them cannot be
};

ContextProcs read_context_procs(const Pairing &pairing, const Records &records);

}  // namespace chord::verify
