#include "assembly/graph/stack_depth.h"

namespace chord::assembly {
namespace {

struct State {
  bool known = true;
  int64_t depth = 0;
  std::optional<int64_t> frame;  // depth that the frame pointer stands for

  bool operator==(const State &) const = default;
};

State lost() { return {false, 0, std::nullopt}; }

State after(const Instruction &in, State s) {
  const isa::Decoded &d = in.decoded;
  if (!s.known || in.padding) return s;
  switch (d.stack) {
    case isa::StackMove::none:
      return s;
    case isa::StackMove::by:
      s.depth += d.stack_bytes;
      return s;
    case isa::StackMove::makes_frame:
      s.frame = s.depth;
      return s;
    case isa::StackMove::from_frame:
      if (!s.frame) return lost();
      s.depth = *s.frame + d.stack_bytes;
      return s;
    case isa::StackMove::deeper:
      ++s.depth;  // by how much does not matter: it is not 0
      return s;
    case isa::StackMove::unknown:
      break;
  }
  return lost();
}

State meet(const State &a, const State &b) {
  if (!a.known || !b.known || a.depth != b.depth) return lost();
  State both = a;
  if (a.frame != b.frame) both.frame.reset();
  return both;
}

}  // namespace

std::vector<std::optional<int64_t>> stack_depths(const Procedure &procedure,
                                                 const std::vector<std::vector<core::Vertex>> &predecessors) {
  const size_t count = procedure.blocks.size();
  std::vector<std::vector<core::Vertex>> successors(count);
  for (core::Vertex b = 0; b < predecessors.size(); ++b) {
    for (core::Vertex p : predecessors[b]) successors[p].push_back(b);
  }
  std::vector<std::optional<State>> in(count), out(count);
  in[kEntry] = State{};
  std::vector<core::Vertex> work = {kEntry};
  while (!work.empty()) {
    core::Vertex b = work.back();
    work.pop_back();
    State state = *in[b];
    const Block &block = procedure.blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) state = after(procedure.instructions[i], state);
    if (out[b] == state) continue;
    out[b] = state;
    for (core::Vertex s : successors[b]) {
      State met = in[s] ? meet(*in[s], state) : state;
      if (in[s] == met) continue;
      in[s] = met;
      work.push_back(s);
    }
  }
  std::vector<std::optional<int64_t>> depths(count);
  for (size_t b = 0; b < count; ++b) {
    if (out[b] && out[b]->known) depths[b] = out[b]->depth;
  }
  return depths;
}

}  // namespace chord::assembly
