#include "analysis/source/functions.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/counting/count_procedure.h"
#include "analysis/source/lines.h"

namespace chord::analysis {
namespace {

FunctionCounts counts_of(const CountedProcedure &p) {
  FunctionCounts row;
  row.procedure = &p;
  row.calls = p.calls;
  row.executed = p.instructions;
  row.instructions = p.executed.size();
  row.never = static_cast<uint64_t>(std::count(p.executed.begin(), p.executed.end(), uint64_t{0}));
  for (size_t b = 0; b < p.map->blocks.size(); ++b) {
    if (p.map->blocks[b].kind != format::VertexKind::code) continue;
    ++row.blocks;
    if (p.counts.vertex[b] == 0) ++row.blocks_never;
  }
  row.metrics = p.metrics.own;
  row.metrics_total = p.metrics.total;
  row.metrics_error = p.metrics.error;
  row.exact = p.exact();
  row.certain = p.certain();
  return row;
}

void add(FunctionCounts &into, const FunctionCounts &copy) {
  const std::string &name = into.procedure->map->name;
  ++into.copies;
  into.calls = checked_add(into.calls, copy.calls, name);
  into.executed = checked_add(into.executed, copy.executed, name);
  add_to(into.metrics, copy.metrics);
  add_to(into.metrics_total, copy.metrics_total);
  add_to(into.metrics_error, copy.metrics_error);
  into.exact = into.exact && copy.exact;
  into.certain = into.certain && copy.certain;
  if (copy.never * into.instructions >= into.never * copy.instructions) return;
  std::tie(into.instructions, into.never, into.blocks, into.blocks_never) =
      std::tie(copy.instructions, copy.never, copy.blocks, copy.blocks_never);
}

}  // namespace

std::vector<FunctionCounts> count_functions(const Program &program, bool sum_copies) {
  std::vector<const CountedProcedure *> order;
  for (const CountedProcedure &p : program.procedures) order.push_back(&p);
  std::stable_sort(order.begin(), order.end(), [](const CountedProcedure *a, const CountedProcedure *b) {
    return std::tie(a->module, a->address) < std::tie(b->module, b->address);
  });
  FileTable files(program);
  std::vector<FunctionCounts> rows;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, size_t> known;
  for (const CountedProcedure *p : order) {
    FunctionCounts row = counts_of(*p);
    if (sum_copies && p->map->line != 0) {
      auto [at, fresh] = known.try_emplace({p->map->name, files.number(*p->unit, p->map->file), p->map->line}, rows.size());
      if (!fresh) {
        add(rows[at->second], row);
        continue;
      }
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace chord::analysis
