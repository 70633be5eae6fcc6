// Packs a trace while its program records it: what runtime/trace/packer.cc starts.
//
// Chunks that nobody writes to any more (the stream's next but one is there, or its thread has ended) go to PROGRAM.chordtrace.packing, frame by frame,
// and their room in the trace is given back to the disk. When the program has ended, however it did, the rest follows, and the packed trace takes the place of the
// other. At every moment the two together hold all that was recorded (format/trace/live_trace.h); whatever goes wrong leaves them so.
#pragma once

#include <cstdint>
#include <string>

namespace chord::format {

struct LivePack {
  std::string path;
  uint64_t device = 0, inode = 0;  // of the trace: another may have got its name
  uint64_t page = 0;               // where in it the page is that is shared with the program (chord_trace_packer)
};

// Returns when the packed trace is in its place, or cannot be. False: then there are two files.
bool pack_while_recorded(const LivePack &job);

}  // namespace chord::format
