#include "format/facts/measured_calls.h"

#include <set>

namespace chord::format {

std::vector<uint32_t> measured_calls(const Procedure &procedure) {
  std::set<uint32_t> twice;  // blocks
  for (const Edge &e : procedure.edges) {
    if (e.kind == EdgeKind::landing && procedure.blocks[e.from].kind == VertexKind::code) twice.insert(e.from);
  }
  std::vector<uint32_t> calls;
  for (uint32_t b = 0; b < procedure.blocks.size(); ++b) {
    const Block &block = procedure.blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      const Instruction &in = procedure.instructions[i];
      bool last = i + 1 == block.first + block.count;
      if ((in.traits & isa::kCall) != 0 && !(last && twice.contains(b))) calls.push_back(i);
    }
  }
  return calls;
}

}  // namespace chord::format
