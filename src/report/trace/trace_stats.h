// What a trace holds and what that took: instructions, branches, calls, bytes and bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/replay.h"

namespace chord::report {

struct TraceStats {
  uint64_t instructions = 0;
  uint64_t calls = 0;      // activations that began
  uint64_t branches = 0;   // edges taken out of blocks with more than one
  uint64_t words = 0;      // that were written
  uint64_t bits = 0;       // of tokens in them: branches, and calls that came back
  uint64_t entries = 0;    // words that say which function was entered
  uint64_t events = 0;     // words that say anything else: signals, frames left early, ends
  uint64_t pauses = 0;     // among them: recording was paused
  uint32_t deepest = 0;    // calls inside of each other

  TraceStats &operator+=(const TraceStats &other);
  // What a branch took, with all other words.
  double bits_per_branch() const { return branches == 0 ? 0 : 64.0 * static_cast<double>(words) / static_cast<double>(branches); }
  double bytes_per_instruction() const { return instructions == 0 ? 0 : 8.0 * static_cast<double>(words) / static_cast<double>(instructions); }
};

// Of one stream. What replay could not tell is added to `problems`.
TraceStats measure_trace(const analysis::TracedCode &code, const format::TraceStream &stream, std::vector<std::string> &problems);

}  // namespace chord::report
