#include "format/facts/context_sites.h"

#include <set>

namespace chord::format {

std::vector<uint32_t> context_sites(const Procedure &procedure) {
  std::set<uint32_t> sites;
  for (const Block &b : procedure.blocks) {
    for (uint32_t i = b.first; i < b.first + b.count; ++i) {
      if (procedure.instructions[i].traits & isa::kCall) sites.insert(i);
    }
  }
  for (const Edge &e : procedure.edges) {
    const Block &from = procedure.blocks[e.from];
    if (e.kind == EdgeKind::tail_call && from.count != 0) sites.insert(from.first + from.count - 1);
  }
  return {sites.begin(), sites.end()};
}

}  // namespace chord::format
