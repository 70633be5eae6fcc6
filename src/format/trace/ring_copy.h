// Copies of a ring (CHORD_RING) that its program goes on writing to.
//
// A chunk whose header is the same before and after it was read has not been written over; the others are left out. What was read before it was
// complete, and what came after that, the reader of traces tells (format/trace/trace_file.h).
#pragma once

#include <string>
#include <string_view>

namespace chord::format {

// Whether the trace is a ring. Throws Error if the file cannot be read, or is no trace.
bool is_ring(const std::string &path);
// What it holds now, as a file of its own. Likewise.
std::string copy_of_ring(const std::string &path);

}  // namespace chord::format
