#include "weave/paths/path_registers.h"

namespace chord::weave {

using assembly::Block;
using assembly::Instruction;
using assembly::Procedure;

namespace {

isa::Resources touched_by(const Procedure &p) {
  isa::Resources touched = 0;
  for (const Instruction &in : p.instructions) {
    if (!in.padding) touched |= in.decoded.reads | in.decoded.writes;
  }
  return touched;
}

bool makes_calls(const Procedure &p) {
  for (const Instruction &in : p.instructions) {
    if (!in.padding && in.decoded.flow == isa::Flow::call) return true;
  }
  return false;
}

// From the highest number down: those below are shorter to write, and %rax keeps flags.
unsigned highest_of(isa::Resources allowed, unsigned from, unsigned to) {
  for (unsigned r = from + 1; r-- > to;) {
    if (r == isa::kStackPointer || r == isa::kFramePointer) continue;
    if (allowed & isa::register_numbered(r)) return r;
  }
  return isa::kNoRegister;
}

}  // namespace

unsigned free_register(const Procedure &p, const assembly::Liveness &live, const std::vector<Site> &sites) {
  if (makes_calls(p)) return isa::kNoRegister;
  isa::Resources wanted = touched_by(p) | isa::callee_saved();
  for (const isa::Resources &at_start : live.block_in) wanted |= at_start;
  for (uint32_t b = 2; b < p.blocks.size(); ++b) {
    const Block &block = p.blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) wanted |= live.before[i];
  }
  for (const Site &s : sites) wanted |= s.exists() ? s.live : 0;
  return highest_of(~wanted, 11, 1);
}

unsigned unused_saved_register(const assembly::Unit &unit, const Procedure &p) {
  return highest_of(unit.saved & ~touched_by(p), 15, 0);
}

}  // namespace chord::weave
