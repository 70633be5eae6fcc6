// What other encodings of the same control flow would take, from a trace (Ball and Larus 1994, section 4.4): measured, not estimated.
//
//   blocks     the number of each block as it begins, in four bytes
//   branches   the outcome of each branch, in a byte
//   bits       the outcome of each branch of k outcomes in ceil(log2 k) bits
//   tokens     what edges out of branches write in the encoding the program was built with (core::TraceEncoding)
//   written    the words of the trace, with functions that were entered and all else
// Blocks and words are compressed, too, as zstd does at its default level.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/trace/replay.h"

namespace chord::analysis {

struct TraceStudy {
  std::string program;
  uint64_t instructions = 0, blocks = 0, branches = 0, calls = 0;
  uint64_t block_bytes = 0, block_bytes_compressed = 0;
  uint64_t branch_bytes = 0;
  uint64_t bit_bytes = 0;
  uint64_t token_bytes = 0;
  uint64_t bits_procedures = 0, witness_procedures = 0, path_procedures = 0;  // in which paths part, by encoding
  std::optional<uint64_t> plain_time, woven_time;        // set by who ran it: of the processor, in nanoseconds
  uint64_t written = 0, written_compressed = 0;
  std::string problem;
};

// Adds one stream. Throws Error if there is no memory for compression.
void study_stream(const TracedCode &code, const format::TraceStream &stream, TraceStudy &study);

}  // namespace chord::analysis
