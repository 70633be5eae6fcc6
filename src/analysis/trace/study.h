// What other encodings of the same control flow would take, from a trace (Ball and Larus 1994, section 4.4): measured, not estimated.
//
//   blocks     the number of each block as it begins, in four bytes
//   branches   the outcome of each branch, in a byte
//   bits       the outcome of each branch of k outcomes in ceil(log2 k) bits
//   written    the words of the trace, with functions that were entered and all else
// Blocks and words are compressed, too, as zstd does at its default level.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/trace/replay.h"

namespace chord::analysis {

struct TraceStudy {
  std::string program;
  uint64_t instructions = 0, blocks = 0, branches = 0, calls = 0;
  uint64_t block_bytes = 0, block_bytes_compressed = 0;
  uint64_t branch_bytes = 0;
  uint64_t bit_bytes = 0;
  uint64_t written = 0, written_compressed = 0;
  std::string problem;
};

// Adds one stream. Throws Error if there is no memory for compression.
void study_stream(const TracedCode &code, const format::TraceStream &stream, TraceStudy &study);

}  // namespace chord::analysis
