// Inlined functions: how many instructions of theirs were executed. They are not called,
// so calls are not counted; instructions are, exactly.
//
// `executed` is the function's own, `inclusive` with that of functions inlined into it. Where a
// function is inlined into itself, no instruction counts twice in one row.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "analysis/source/inlined.h"
#include "base/cxx_names.h"
#include "report/contexts/inline_tables.h"
#include "report/tables/listings.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using analysis::InlinedCall;
using analysis::InlineTable;
using core::kNone;

struct InlinedSum {
  uint64_t sites = 0, instructions = 0, executed = 0, inclusive = 0;
  bool exact = true;
  void add(const CountedProcedure &p, uint64_t count, bool own) {
    exact = exact && p.exact();
    if (own) {
      ++instructions;
      executed += count;
    }
    inclusive += count;
  }
};

// Calls visit(procedure, table, instruction, call, own) for each inlined call that an instruction
// lies in; the innermost is its own.
template <class Visit>
void each_inlined(const analysis::Program &program, const InlineTables &tables, Visit visit) {
  for (const CountedProcedure &p : program.procedures) {
    const InlineTable &table = *tables.of_module[p.module];
    if (table.calls().empty()) continue;
    std::vector<uint32_t> innermost = tables.innermost(p);
    for (uint32_t i = 0; i < innermost.size(); ++i) {
      for (uint32_t c = innermost[i]; c != kNone; c = table.calls()[c].parent) visit(p, table, i, c, c == innermost[i]);
    }
  }
}

void add_counts(Table &t, std::vector<Cell> row, const InlinedSum &sum, const analysis::Program &program) {
  row.insert(row.end(), {number_if(sum.exact, sum.executed), number_if(sum.exact, sum.inclusive),
                         sum.exact ? share(sum.executed, program.instructions) : Cell{}, number(sum.instructions), flag(sum.exact)});
  t.add(row);
}

}  // namespace

Table list_inlined(const analysis::Program &program) { return list_inlined(program, InlineTables(program)); }

Table list_inlined(const analysis::Program &program, const InlineTables &tables) {
  std::map<std::string, InlinedSum> sums;
  std::map<std::string, std::vector<std::pair<const InlineTable *, uint32_t>>> sites;
  std::vector<const InlinedSum *> counted;
  const CountedProcedure *last = nullptr;
  uint32_t last_instruction = kNone;
  each_inlined(program, tables, [&](const CountedProcedure &p, const InlineTable &table, uint32_t i, uint32_t call, bool own) {
    if (&p != last || i != last_instruction) counted.clear();
    last = &p;
    last_instruction = i;
    InlinedSum &sum = sums[table.calls()[call].function];
    sites[table.calls()[call].function].emplace_back(&table, call);
    if (std::find(counted.begin(), counted.end(), &sum) != counted.end()) return;
    counted.push_back(&sum);
    sum.add(p, p.executed[i], own);
  });
  Table t;
  t.by = "inlined";
  t.columns = {{"function", "", true}, {"demangled", "inlined function", true, Holds::names}, {"sites", "sites"}, {"executed", "executed"},
               {"inclusive", "inclusive"}, {"share", "share"}, {"instructions", "instrs"}, {"exact", ""}};
  t.text_order = {5, 3, 4, 6, 2, 1};
  t.weight = 3;
  t.note = tables.problem;
  for (auto &[name, sum] : sums) {
    auto &all = sites[name];
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    add_counts(t, {text(t.keep(name)), text(t.keep(base::demangle(name))), number(all.size())}, sum, program);
  }
  t.sort_by_weight();
  return t;
}

Table list_inlined_sites(const analysis::Program &program) {
  InlineTables tables(program);
  struct Site {
    const InlinedCall *call = nullptr;
    const CountedProcedure *procedure = nullptr;
    std::string_view caller;
    bool operator<(const Site &other) const { return std::tie(procedure, call) < std::tie(other.procedure, other.call); }
  };
  std::map<Site, InlinedSum> sums;
  each_inlined(program, tables, [&](const CountedProcedure &p, const InlineTable &table, uint32_t i, uint32_t c, bool own) {
    const InlinedCall &call = table.calls()[c];
    std::string_view caller = call.parent == kNone ? std::string_view(p.map->name) : std::string_view(table.calls()[call.parent].function);
    sums[{&call, &p, caller}].add(p, p.executed[i], own);
  });
  Table t;
  t.by = "inlined-site";
  t.columns = {{"function", "", true}, {"demangled", "inlined function", true, Holds::names}, {"caller", "", true}, {"into", "", true},
               {"demangled_into", "into", true, Holds::names}, {"file", "file", true, Holds::paths}, {"line", "line"},
               {"executed", "executed"}, {"inclusive", "inclusive"}, {"share", "share"}, {"instructions", "instrs"}, {"exact", ""}};
  t.text_order = {9, 7, 8, 10, 6, 5, 1, 4};
  t.weight = 7;
  t.note = tables.problem;
  for (const auto &[site, sum] : sums) {
    add_counts(t,
               {text(t.keep(site.call->function)), text(t.keep(base::demangle(site.call->function))), text(t.keep(std::string(site.caller))),
                text(site.procedure->map->name), text(t.keep(base::demangle(site.procedure->map->name))), text(t.keep(site.call->file)),
                ordinal(site.call->line)},
               sum, program);
  }
  t.sort_by_weight();
  return t;
}

}  // namespace chord::report
