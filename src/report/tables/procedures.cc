#include "report/tables/procedures.h"

#include <algorithm>
#include <numeric>

namespace chord::report {

using analysis::CountedProcedure;
using analysis::Program;

namespace {

constexpr std::string_view kEdgeKinds[] = {"return", "fall",    "taken", "jump",      "dispatch",
                                           "enter",  "landing", "leave", "tail_call", "never"};

}  // namespace

std::vector<const CountedProcedure *> in_order(const Program &program) {
  std::vector<const CountedProcedure *> order;
  for (const CountedProcedure &p : program.procedures) order.push_back(&p);
  std::stable_sort(order.begin(), order.end(), [](const CountedProcedure *a, const CountedProcedure *b) {
    return a->module != b->module ? a->module < b->module : a->address < b->address;
  });
  return order;
}

std::vector<uint32_t> in_text_order(const format::Procedure &procedure) {
  const std::vector<format::Instruction> &all = procedure.instructions;
  std::vector<uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return all[a].fragment != all[b].fragment ? all[a].fragment < all[b].fragment : all[a].offset < all[b].offset;
  });
  return order;
}

std::string_view edge_kind_name(format::EdgeKind kind) { return kEdgeKinds[static_cast<size_t>(kind)]; }

bool is_listed(const format::Block &block) { return block.kind == format::VertexKind::code && block.count != 0; }

std::string_view file_of(const CountedProcedure &p) {
  if (p.map->line != 0) return p.unit->files[p.map->file];
  for (const format::Instruction &i : p.map->instructions) {
    if (i.line != 0) return p.unit->files[i.file];
  }
  return p.unit->unit;
}

}  // namespace chord::report
