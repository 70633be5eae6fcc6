#include "weave/counters/narrow_steps.h"

#include <algorithm>

namespace chord::weave {

using assembly::Block;
using assembly::Edge;
using assembly::EdgeKind;
using assembly::Liveness;
using assembly::Procedure;

namespace {

uint32_t last_of(const Block &b) { return b.first + b.count - 1; }

isa::Resources live_behind(const Procedure &p, const Liveness &live, core::Vertex block, uint32_t instruction) {
  if (instruction != last_of(p.blocks[block])) return live.before[instruction + 1];
  isa::Resources behind = 0;
  for (const Edge &e : p.edges) {
    if (e.from == block) behind |= live.block_in[e.to];
  }
  return behind;
}

// Nowhere in the loop, nor where it is left, is the upper half live.
bool upper_is_dead(const Procedure &p, const Liveness &upper, const std::function<bool(core::Vertex)> &inside,
                   isa::Resources reg) {
  for (const Edge &e : p.edges) {
    if (!inside(e.from)) continue;
    if (upper.block_in[e.to] & reg) return false;
    const Block &b = p.blocks[e.from];
    for (uint32_t i = b.first; i < b.first + b.count; ++i) {
      if (upper.before[i] & reg) return false;
    }
  }
  return true;
}

// The block ends in a jump on whether the step's result was zero, and if it was, out of the loop.
bool leaves_at_zero(const Procedure &p, const std::function<bool(core::Vertex)> &inside, core::Vertex block, uint32_t update) {
  uint32_t last = last_of(p.blocks[block]);
  const isa::Decoded &step = p.instructions[update].decoded, &jump = p.instructions[last].decoded;
  bool on_zero = jump.mnemonic == "jz", on_other = jump.mnemonic == "jnz";
  if ((!on_zero && !on_other) || !(step.writes & isa::all_flags())) return false;
  for (uint32_t i = update + 1; i < last; ++i) {
    if (p.instructions[i].decoded.writes & isa::all_flags()) return false;
  }
  return std::none_of(p.edges.begin(), p.edges.end(), [&](const Edge &e) {
    bool zero_way = e.from == block && (e.kind == EdgeKind::fall ? on_other : on_zero);
    return zero_way && e.kind != EdgeKind::never && inside(e.to);
  });
}

}  // namespace

bool can_be_widened(const Procedure &p, const Liveness &live, const Liveness &upper, core::Vertex block, uint32_t update) {
  const assembly::Instruction &in = p.instructions[update];
  const isa::Decoded &d = in.decoded;
  if (d.stepped == 0 || !d.narrow_step || in.first_statement != in.last_statement) return false;
  if (live_behind(p, upper, block, update) & d.stepped) return false;
  return !(live_behind(p, live, block, update) & d.writes & isa::all_flags());
}

StepKind kind_of_step(const Procedure &p, const Liveness &live, const Liveness &upper,
                      const std::function<bool(core::Vertex)> &inside, core::Vertex block, uint32_t update) {
  const isa::Decoded &d = p.instructions[update].decoded;
  if (d.stepped == 0) return StepKind::none;
  if (!d.narrow_step) return StepKind::whole;
  if (!upper_is_dead(p, upper, inside, d.stepped)) return StepKind::none;
  if (can_be_widened(p, live, upper, block, update)) return StepKind::widened;
  return d.step == -1 && leaves_at_zero(p, inside, block, update) ? StepKind::countdown : StepKind::none;
}

}  // namespace chord::weave
