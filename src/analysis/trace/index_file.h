// PROGRAM.chordtrace.index, which `chord trace index` writes: the points of TraceIndex, for going to any moment of a long trace
// without replaying all before it.
//
// It is bound to the trace: to its streams, how many words they have and the last of them. Reading checks every bound; of a file that does not
// fit nothing is taken.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/index.h"

namespace chord::analysis {

std::string encode_indexes(const std::vector<const format::TraceStream *> &streams, const std::vector<const TraceIndex *> &indexes);

// That of one stream. Nothing: the file has none of it, or is damaged.
std::optional<TraceIndex> decode_index(std::string_view bytes, const TracedCode &code, const format::TraceStream &stream);

}  // namespace chord::analysis
