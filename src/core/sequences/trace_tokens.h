// Which token each edge writes to a trace, so that the path an execution takes can be told from the tokens alone.
//
// Bit tracing (Ball and Larus, "Optimally Profiling and Tracing Programs", 1994, section 4.2): an edge out of a predicate
// with k successors writes ceil(log2 k) bits. Tokens of one predicate have the same length and different values, so a
// reader that stands at the predicate knows how many bits to take and where they lead; every prefix of a trace can be
// followed. A cycle without predicates writes one bit a turn, so that no reader goes round it for ever.
//
// The tokens follow from the graph alone: the weaver and the reader of a trace both ask here, and the answer is
// part of the format of traces. Of two edges the one that goes back in the text writes 0 (which is cheaper), otherwise
// the later one, the fall-through.
// Tested by tests/property/trace_tokens_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

struct TraceToken {
  uint8_t bits = 0;  // 0: nothing is written
  uint32_t value = 0;
  bool operator==(const TraceToken &) const = default;
};

// By edge. `never`: by edge, those that control cannot take.
std::vector<TraceToken> trace_tokens(const Graph &graph, const std::vector<bool> &never);

}  // namespace chord::core
