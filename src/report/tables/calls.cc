#include "report/tables/calls.h"

#include <map>
#include <string>
#include <tuple>

#include "analysis/counting/count_procedure.h"
#include "base/cxx_names.h"
#include "isa/traits.h"
#include "report/tables/procedures.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;

struct Row {
  const CountedProcedure *caller = nullptr;
  uint64_t calls = 0;
  uint64_t sites = 0;
  bool exact = true, certain = true, tail = false;
};

// How often the instruction left for its callee: a conditional jump out of the function does not always.
uint64_t times_left(const CountedProcedure &p, uint32_t instruction) {
  if ((p.map->instructions[instruction].traits & isa::kTailCall) == 0) return p.executed[instruction];
  uint64_t times = 0;
  for (uint32_t e = 0; e < p.map->edges.size(); ++e) {
    const format::Edge &edge = p.map->edges[e];
    const format::Block &from = p.map->blocks[edge.from];
    if (edge.kind == format::EdgeKind::tail_call && from.first + from.count == instruction + 1) {
      times = analysis::checked_add(times, p.counts.edge[e], p.map->name);
    }
  }
  return times;
}

}  // namespace

Table list_calls(const analysis::Program &program) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Row> rows;
  for (const CountedProcedure &p : program.procedures) {
    for (uint32_t i = 0; i < p.map->instructions.size(); ++i) {
      const format::Instruction &in = p.map->instructions[i];
      if ((in.traits & (isa::kCall | isa::kTailCall)) == 0) continue;
      Row &row = rows[{p.map->name, p.unit->unit, in.callee}];
      row.caller = &p;
      ++row.sites;
      row.calls = analysis::checked_add(row.calls, p.exact() ? times_left(p, i) : 0, p.map->name);
      row.exact = row.exact && p.exact();
      row.certain = row.certain && p.certain();
    }
  }
  Table t;
  t.by = "call";
  t.columns = {{"caller", "", true}, {"caller_demangled", "caller", true, Holds::names}, {"callee", "", true}, {"callee_demangled", "callee", true, Holds::names},
               {"calls", "calls"},   {"sites", "sites"},                   {"file", "file", true, Holds::paths}, {"exact", ""}};
  t.text_order = {4, 5, 1, 3, 6};
  t.weight = 4;
  for (const auto &[key, row] : rows) {
    std::string callee(std::get<2>(key));
    t.add({text(row.caller->map->name), text(t.keep(base::demangle(row.caller->map->name))),
           callee.empty() ? Cell{} : text(t.keep(callee)), callee.empty() ? text("(through a pointer)") : text(t.keep(base::demangle(callee))),
           number_if(row.exact, row.calls), number(row.sites), text(file_of(*row.caller)), flag(row.certain)});
  }
  t.sort_by_weight();
  return t;
}

}  // namespace chord::report
