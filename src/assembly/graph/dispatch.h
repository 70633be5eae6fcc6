// Which labels an indirect jump may reach.
//
// Sound by construction: either every path backward from the jump leads to a table
// whose entries are then the targets, or the jump is given every label of the
// procedure whose address can be known to it, or it leaves the procedure. A table
// belongs to one dispatch vertex only, since a probe on the edge to a target stands
// after the table's entry and cannot tell the jumps apart that use it.
#pragma once

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// Indirect jump at the end of `block`.
struct IndirectJump {
  core::Vertex block = 0;
  bool frame_is_up = false;  // the stack frame still stands: it cannot be a tail call
};

struct Dispatch {
  std::vector<core::Vertex> jumps;   // blocks that end in an indirect jump
  std::vector<Mention> slots;    // operands that name the targets
  std::vector<std::string_view> unnamed;  // targets that no operand names
  std::vector<core::Vertex> leaving; // those of them that may be tail calls as well
};

struct DispatchInput {
  const Source *source = nullptr;
  const Symbols *symbols = nullptr;
  const Procedure *procedure = nullptr;            // blocks and direct edges are there
  std::vector<std::vector<core::Vertex>> predecessors; // by block
  std::vector<IndirectJump> jumps;
  std::vector<uint32_t> tables;                    // symbols->tables with a label of ours
  std::vector<Mention> taken;                      // our labels named by instructions
};

// Every jump is in at most one dispatch; jumps in none are tail calls.
std::vector<Dispatch> resolve_dispatch(const DispatchInput &input);

}  // namespace chord::assembly
