#include "format/facts/traced_calls.h"

namespace chord::format {

std::vector<bool> traced_calls(const Procedure &procedure) {
  std::vector<bool> out(procedure.instructions.size());
  for (const Block &b : procedure.blocks) {
    for (uint32_t i = b.first; i < b.first + b.count; ++i) out[i] = (procedure.instructions[i].traits & isa::kCall) != 0;
  }
  std::vector<bool> goes_on(procedure.blocks.size());
  for (const Edge &e : procedure.edges) {
    if (e.kind != EdgeKind::never) goes_on[e.from] = true;
  }
  for (uint32_t b = 0; b < procedure.blocks.size(); ++b) {
    const Block &block = procedure.blocks[b];
    if (block.count != 0 && !goes_on[b]) out[block.first + block.count - 1] = false;
  }
  return out;
}

}  // namespace chord::format
