// The loops of every procedure, with how often each was entered and went round.
//
// A loop is a header and what reaches it again without leaving (core/graph/order.h). It is
// *entered* by every edge that comes from outside of it, at whatever member; an
// *iteration* is one arrival at its header. So entered ≤ iterations where the header is
// the only edge in, and iterations / entered is the average trip count.
#include <algorithm>

#include "base/cxx_names.h"
#include "core/graph/order.h"
#include "isa/traits.h"
#include "report/tables/listings.h"
#include "report/tables/metrics.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;

struct LoopRow {
  uint32_t place = core::kNone;  // the first instruction of the header or, if it has none, of the loop
  uint64_t blocks = 0, instructions = 0;
  uint64_t entered = 0, iterations = 0, executed = 0;
  bool entries_known = true;
  analysis::MetricValues metrics = {};  // of its instructions, where they are measured for each
};

bool jumps_back_alone(const CountedProcedure &p, const format::Block &block, core::Vertex header) {
  const format::Block &to = p.map->blocks[header];
  if (block.count != 1 || to.count == 0) return false;
  const format::Instruction &jump = p.map->instructions[block.first], &first = p.map->instructions[to.first];
  return (jump.traits & isa::kJump) != 0 && jump.file == first.file && jump.line < first.line;
}

// The branch that closes the loop, where it stands for the loop's line: a compiler that has moved or copied the test to the end of a loop gives
// that branch the line of the `for`, `while` or `do`, while its first instruction may be of any line. Not where the end of the body
// just goes on to the header. Of several such branches, the one that is written first. clang and gfortran close a loop without a test there by a jump
// that is all of its block, and has the statement's line; that of a `continue` comes after the header.
uint32_t closing_branch(const CountedProcedure &p, const core::Order &order, core::Vertex header) {
  const std::vector<format::Instruction> &all = p.map->instructions;
  auto first_written = [&](uint32_t a, uint32_t b) { return a == core::kNone || all[b].line < all[a].line ? b : a; };
  uint32_t test = core::kNone, jump = core::kNone;
  bool all_test = true;
  for (uint32_t e = 0; e < p.map->edges.size(); ++e) {
    if (!order.back[e] || p.map->edges[e].to != header) continue;
    const format::Block &from = p.map->blocks[p.map->edges[e].from];
    const uint32_t last = from.first + from.count - 1;
    if (from.count == 0 || all[last].line == 0) {
      all_test = false;
    } else if (jumps_back_alone(p, from, header)) {
      jump = first_written(jump, last);
    } else if ((all[last].traits & isa::kConditional) != 0) {
      test = first_written(test, last);
    } else {
      all_test = false;
    }
  }
  if (jump != core::kNone) return jump;
  return all_test ? test : core::kNone;
}

uint32_t depth_of(const core::Loops &loops, uint32_t loop) {
  uint32_t depth = 1;
  for (uint32_t l = loops.loops[loop].parent; l != core::kNone; l = loops.loops[l].parent) ++depth;
  return depth;
}

LoopRow measure(const CountedProcedure &p, const core::Loops &loops, uint32_t loop) {
  LoopRow row;
  const core::Vertex header = loops.loops[loop].header;
  row.iterations = p.counts.vertex[header];
  for (core::Vertex v : loops.members(loop)) {
    const format::Block &block = p.map->blocks[v];
    if (block.count == 0) continue;
    ++row.blocks;
    row.instructions += block.count;
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      row.executed += p.executed[i];
      for (size_t m = 0; m < p.metrics.instructions.size(); ++m) {
        if (i < p.metrics.instructions[m].size()) analysis::add_to(row.metrics, m, p.metrics.instructions[m][i]);
      }
    }
    row.place = std::min(row.place, block.first);
  }
  if (p.map->blocks[header].count != 0) row.place = p.map->blocks[header].first;
  for (size_t e = 1; e < p.map->edges.size(); ++e) {
    const format::Edge &edge = p.map->edges[e];
    if (!loops.contains(loop, edge.to) || loops.contains(loop, edge.from)) continue;
    row.entries_known = row.entries_known && p.counts.edge_known[e];
    row.entered += p.counts.edge[e];
  }
  return row;
}

}  // namespace

Table list_loops(const analysis::Program &program) {
  Table t;
  t.by = "loop";
  t.columns = {{"function", "", true},
               {"unit", "", true},
               {"fragment", "", true},
               {"offset", "offset"},
               {"depth", "depth"},
               {"entered", "entered"},
               {"iterations", "iterations"},
               {"executed", "executed"},
               {"share", "share"},
               {"blocks", "blocks"},
               {"instructions", "instrs"},
               {"file", "file", true, Holds::paths},
               {"line", "line"},
               {"exact", ""},
               {"demangled", "function", true, Holds::names}};
  t.text_order = {8, 7, 6, 5, 4, 10, 12, 11, 14};
  t.weight = 7;
  MetricsColumn metrics(t, program.metrics);
  for (const CountedProcedure &p : program.procedures) {
    std::string_view name = t.keep(base::demangle(p.map->name));
    const core::Graph graph = p.map->graph();
    const core::Order order = core::depth_first_order(graph);
    const core::Loops loops = core::find_loops(graph, order);
    for (uint32_t l = 0; l < loops.loops.size(); ++l) {
      LoopRow row = measure(p, loops, l);
      if (row.place == core::kNone) continue;
      const format::Instruction &first = p.map->instructions[row.place];
      const uint32_t closing = closing_branch(p, order, loops.loops[l].header);
      const format::Instruction &lined = closing != core::kNone ? p.map->instructions[closing] : first;
      bool exact = p.exact();
      std::vector<Cell> cells{text(p.map->name), text(p.unit->unit), text(p.map->fragments[first.fragment].name), offset(first.offset),
             number(depth_of(loops, l)), number_if(exact && row.entries_known, row.entered),
             number_if(exact, row.iterations), number_if(exact, row.executed),
             exact ? share(row.executed, program.instructions) : Cell{}, number(row.blocks), number(row.instructions),
             text(lined.line != 0 ? std::string_view(p.unit->files[lined.file]) : std::string_view()),
             ordinal(lined.line), flag(p.certain()), text(name)};
      metrics.put(cells, row.metrics);
      t.add(cells);
    }
  }
  t.sort_by_weight();
  return t;
}

}  // namespace chord::report
