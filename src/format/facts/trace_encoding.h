// What a traced procedure writes, as its plan says (core::Plan::encoding): the weaver writes it, the proof compares with it, and replay reads it.
#pragma once

#include <optional>
#include <vector>

#include "core/sequences/path_tokens.h"
#include "core/sequences/trace_tokens.h"
#include "format/map/map.h"

namespace chord::format {

// By edge: control cannot take it.
std::vector<bool> never_taken(const Procedure &procedure);

// By block: other code may write to the trace while control is there. Calls, and jumps out of several frames, of which the runtime is told before
// (weave/exits/builtin_longjmps.h).
std::vector<bool> trace_stops(const Procedure &procedure);

// By block: control may come there from outside, when the procedure is entered or at a landing.
std::vector<bool> trace_entered(const Procedure &procedure);

// On the edge by which activations begin, if the procedure compares (core::Plan::compares).
inline constexpr core::TraceToken kExpectedEntry{2, 2};

// The tokens of edges, and what a reader who stands at a block's end and reads the next of them does.
struct TraceCode {
  // By edge. One without bits adds its value to the number of the path under way.
  std::vector<core::TraceToken> tokens;
  // By block: which edge is taken, by what is written next: edge_of_token[first + value], if value < count; kNone where there is none. The
  // token is that edge's, or, if it has none, that of a later one.
  struct Branch {
    uint32_t first = 0, count = 0;
    uint8_t bits = 0;  // 0: nothing is read
  };
  std::vector<Branch> branches;
  std::vector<core::EdgeId> edge_of_token;
  // core::TraceEncoding::paths; else there are none, and nothing is reserved.
  std::optional<core::PathTokens> paths;
  // By block: bits for the number of the path that starts there, at its first instruction, or, if it makes calls, after the last.
  std::vector<uint8_t> reserved;
  std::vector<uint32_t> last_call;  // by block: of those that make calls; else kNone

  // What is written when control has come to the block; after a call that has come back (`block`: its own).
  core::TraceToken at_start(uint32_t block) const { return {last_call[block] == core::kNone ? reserved[block] : uint8_t{0}, 0}; }
  core::TraceToken after_call(uint32_t block, uint32_t call) const { return {static_cast<uint8_t>(1 + (last_call[block] == call ? reserved[block] : 0)), 0}; }
};

// Nothing has a token if the plan's witnesses are too many to be read, as in a damaged map.
TraceCode trace_code(const Procedure &procedure);

// Whether each path can be told from what is written (core/sequences/witnesses.h).
bool can_be_replayed(const Procedure &procedure);

}  // namespace chord::format
