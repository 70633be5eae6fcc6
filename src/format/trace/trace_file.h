// Reading PROGRAM.chordtrace: streams of words (abi/chord_abi.h, "Traces"), one for each thread and woven module.
//
// The file is as the process left it, however that ended: chunks, each with its header. What does not follow
// the format is named and passed over; every bound is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "format/trace/packed_frames.h"
#include "format/trace/trace_chunks.h"

namespace chord::format {

// Of loads and stores (--trace=addresses), those that were written: each plus 1, 0 where one is not known.
struct TraceAddresses {
  TraceChunks chunks;
  uint64_t bias = 0;     // of the module: run-time minus link-time addresses
  uint64_t thread = 0;   // the thread pointer
};

struct TraceStream {
  uint32_t thread = 0;  // in order of creation, from 1
  uint32_t process = 0;
  uint64_t start_ns = 0;  // of the process
  std::string module;     // path
  std::string build_id;   // raw
  bool begins_late = false;  // the ring has been written over: replay starts at a checkpoint
  TraceChunks chunks;  // in order; of words, none of them 0
  TraceAddresses addresses;
  uint32_t stopped = 0;   // why recording ended before the thread did (CHORD_TRACE_WHY_*); 0: it did not
};

struct Trace {
  std::string path;
  std::vector<TraceStream> streams;  // by thread; what is called a shared object comes after the program
  std::vector<std::string> warnings;
};

// `bytes` must be aligned and outlive the trace.
Trace parse_trace(std::string_view bytes, const std::string &path);

// With the file's bytes, which the streams lie in. Throws Error if it cannot be read, or is no trace.
struct OpenedTrace {
  std::unique_ptr<base::MappedFile> file;
  std::unique_ptr<PackedFrames> packed;  // of which no more is unpacked than is asked for
  std::vector<uint64_t> unpacked;  // what a packed one without a directory holds (format/trace/packed_trace.h), or one that is being written (format/trace/live_trace.h)
  Trace trace;
  // As the program wrote it, unless it is packed.
  std::string_view bytes() const;
};
OpenedTrace open_trace(const std::string &path);

}  // namespace chord::format
