// Tokens of a trace that are written later than they are due, several at once.
//
// A token is due when its edge is taken, or when its call has come back. Where only one edge leads on to a block, it can wait: the next
// place that writes knows, as a constant, all that is due there. The plan says which tokens wait (core::Plan::late, numbered as
// in format/facts/traced_calls.h): an edge of that list is taken with all that is due, its own token included, unwritten; a call of it has a bit
// that waits. Everything is written before a call, on edges that are not in the list, and, where such an edge is all that leads on from a jump
// or a return, before that. So what is due is a constant at every instruction, and the order of a trace's bits is that of control.
//
// The weaver writes by these constants, the proof compares with them, and a reader who learns where a thread was interrupted
// knows what was due there and will be written after the handler has returned.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sequences/trace_tokens.h"
#include "format/facts/trace_encoding.h"
#include "format/map/map.h"

namespace chord::format {

// More bits are not written at once.
inline constexpr uint32_t kMostLateBits = 22;

// Whether what is due at a block's end is written before its last instruction if one edge alone leads on: it jumps.
bool is_written_before(const Instruction &last);

class LateTokens {
 public:
  // Of a damaged map: something, without going round for ever.
  LateTokens(const Procedure &procedure, TraceCode code, const std::vector<uint32_t> &late);

  // What is due and not written: when the instruction is executed; before it, and before what is written in front of it; when the edge has been taken,
  // with its own token; where the spot speaks of inserted code.
  core::TraceToken at(uint32_t instruction) const;
  core::TraceToken before(uint32_t instruction) const;
  core::TraceToken on(core::EdgeId edge) const;
  core::TraceToken in(const Spot &spot) const;

  bool is_late(core::EdgeId edge) const { return edge_is_late_[edge]; }
  bool is_late_call(uint32_t instruction) const { return call_is_late_[instruction]; }

 private:
  core::TraceToken at_end(uint32_t block) const;
  core::TraceToken at_start(uint32_t instruction) const;
  core::TraceToken came_back_from(uint32_t call) const;
  core::TraceToken after_call(uint32_t call) const;
  bool is_last_before_write(uint32_t instruction) const;

  const Procedure *map_;
  TraceCode code_;
  std::vector<bool> edge_is_late_, call_is_late_;
  std::vector<uint32_t> block_of_;            // by instruction; kNone: padding
  std::vector<uint32_t> call_before_;         // by instruction: in its block; kNone: none
  std::vector<uint32_t> only_out_;            // by block: the edge that alone leads on; kNone: there are others
  std::vector<core::TraceToken> start_;       // by block: what is due when control comes to it
};

// One after the other.
core::TraceToken joined(const core::TraceToken &first, const core::TraceToken &second);

}  // namespace chord::format
