// Packed traces: a trace as zstd frames that can be found without reading those before (the "seekable format" of zstd).
//
// `zstd -d` gives the trace as the program wrote it. A frame that readers of zstd pass over comes first and holds CHORD_TRACE_MAGIC, by which a packed
// trace is known; one with the sizes of all others comes last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chord::format {

bool is_packed_trace(std::string_view bytes);
std::string pack_trace(std::string_view trace);
// As words: what they hold is aligned. Throws Error, which names `path`, if it is damaged.
std::vector<uint64_t> unpack_trace(std::string_view bytes, const std::string &path);

}  // namespace chord::format
