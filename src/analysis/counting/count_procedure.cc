#include "analysis/counting/count_procedure.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/counting/interrupted.h"
#include "analysis/counting/what_ran.h"
#include "analysis/program/blocks_of_instructions.h"
#include "base/diagnostics.h"
#include "core/counters/counter_sums.h"
#include "core/counters/running_activations.h"

namespace chord::analysis {
namespace {

// Never executed and never left early: all is zero, and there is nothing to solve.
void count_nothing(CountedProcedure &procedure) {
  const format::Procedure &map = *procedure.map;
  procedure.counts.edge.assign(map.edges.size(), 0);
  procedure.counts.vertex.assign(map.blocks.size(), 0);
  procedure.counts.edge_known.assign(map.edges.size(), true);
  procedure.executed.assign(map.instructions.size(), 0);
}

struct Ends {
  std::vector<int64_t> by_block;
  // Activations that ended in this instruction's block with all of the block's
  // instructions before it executed, and none from it on.
  std::vector<int64_t> before;
};

Ends collect_ends(const MeasuredProcedure &measured, const format::Procedure &map) {
  Ends ends;
  if (measured.exits.empty()) return ends;
  std::vector<core::Vertex> block_of = blocks_of_instructions(map);
  ends.by_block.assign(map.blocks.size(), 0);
  ends.before.assign(map.instructions.size(), 0);
  for (const MeasuredProcedure::Exit &exit : measured.exits) {
    uint32_t block = block_of[exit.instruction];
    ends.by_block[block] += exit.count;
    // An end after the block's last instruction takes nothing from any other.
    uint32_t first_missing = exit.instruction + (exit.executed ? 1 : 0);
    if (first_missing < block_of.size() && block_of[first_missing] == block)
      ends.before[first_missing] += exit.count;
  }
  return ends;
}

std::vector<PathExit> path_exits(const MeasuredProcedure &measured, const format::Procedure &map) {
  std::vector<PathExit> exits;
  std::vector<core::Vertex> block_of = blocks_of_instructions(map);
  for (const MeasuredProcedure::Exit &exit : measured.exits) {
    exits.push_back({block_of[exit.instruction], exit.instruction, exit.executed, exit.path, exit.count});
  }
  return exits;
}

void count_instructions(const Ends &ends, CountedProcedure &procedure) {
  const format::Procedure &map = *procedure.map;
  procedure.executed.assign(map.instructions.size(), 0);
  for (uint32_t b = 0; b < map.blocks.size(); ++b) {
    uint64_t running = procedure.counts.vertex[b];
    for (uint32_t i = map.blocks[b].first; i < map.blocks[b].first + map.blocks[b].count; ++i) {
      int64_t ended = ends.before.empty() ? 0 : ends.before[i];
      if (ended > 0 && static_cast<uint64_t>(ended) > running) {
        procedure.problem = fmt::format("{} activations ended in block {}, which was entered {} times",
                                        ends.by_block[b], b, procedure.counts.vertex[b]);
        return;
      }
      running -= static_cast<uint64_t>(ended);
      procedure.executed[i] = running;
    }
  }
  for (uint32_t e = 0; e < map.edges.size(); ++e) {
    const format::Edge &edge = map.edges[e];
    if (edge.padding_count != 0 && !procedure.counts.edge_known[e]) {
      procedure.problem = fmt::format("the plan does not determine edge {}, on which instructions run", e);
      return;
    }
    // Several edges may lead through one piece of padding.
    for (uint32_t i = edge.padding_first; i < edge.padding_first + edge.padding_count; ++i) {
      procedure.executed[i] = checked_add(procedure.executed[i], procedure.counts.edge[e], map.name);
    }
  }
}

// Entries by way of landing pads and second returns are no activations.
uint64_t activations(const CountedProcedure &procedure) {
  uint64_t calls = 0;
  for (uint32_t e = 0; e < procedure.map->edges.size(); ++e) {
    if (procedure.map->edges[e].kind == format::EdgeKind::enter) calls += procedure.counts.edge[e];
  }
  return calls;
}

// What was counted of a procedure's paths, in either way.
MeasuredPaths measured_paths(const MeasuredProcedure &measured, const core::Plan &plan) {
  MeasuredPaths paths{measured.numbers, {}, measured.cut_off};
  const uint64_t words = std::min<uint64_t>(measured.counters.size(), plan.path_words());
  for (uint64_t i = 0; i < words; ++i) {
    if (measured.counters[i] != 0) paths.counters.emplace_hint(paths.counters.end(), i, measured.counters[i]);
  }
  paths.beginnings.assign(measured.counters.begin() + static_cast<std::ptrdiff_t>(words), measured.counters.end());
  return paths;
}

bool all_zero(const std::vector<uint64_t> &counters) {
  return std::all_of(counters.begin(), counters.end(), [](uint64_t c) { return c == 0; });
}

}  // namespace

uint64_t checked_add(uint64_t a, uint64_t b, const std::string &what) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw base::Error(fmt::format("{}: the counts do not fit 64 bits", what),
                      "report on fewer runs at a time");
  }
  return sum;
}

namespace {

// Finds activations that were running when a process was killed. Each is taken to have
// executed the block it is said to have stood in.
void add_running(const core::Graph &graph, const core::Plan &plan, core::Measurement &measurement,
                 CountedProcedure &procedure) {
  const format::Procedure &map = *procedure.map;
  std::vector<bool> may_hold(map.blocks.size());
  for (uint32_t b = 0; b < map.blocks.size(); ++b) may_hold[b] = map.blocks[b].kind == format::VertexKind::code;
  procedure.may_have_run_on = !core::measures_ends(graph, plan, may_hold);
  auto running = core::running_activations(graph, plan, measurement, may_hold);
  if (!running) return;  // the solver says what is wrong
  measurement.early_exits.resize(map.blocks.size());
  for (uint32_t b = 0; b < map.blocks.size(); ++b) {
    measurement.early_exits[b] += (*running)[b];
    procedure.uncertain += (*running)[b];
  }
}

}  // namespace

void count_procedure(const MeasuredProcedure &measured, CountedProcedure &procedure) {
  const format::Procedure &map = *procedure.map;
  procedure.problem = measured.problem;
  if (!core::counts_anything(map.plan.placement)) {
    procedure.problem = map.plan.placement == core::Placement::trace ? "it was built with --trace, without counters"
                                                                     : "it was built with --events alone, without counters of its own";
    count_nothing(procedure);
    return;
  }
  if (map.plan.placement == core::Placement::chosen_paths) {
    // What ended early was on no chosen path.
    count_nothing(procedure);
    procedure.paths = count_chosen_paths(map, measured_paths(measured, map.plan).counters, procedure.problem);
    if (procedure.problem.empty()) procedure.problem = "only chosen paths of it are counted";
    return;
  }
  if (measured.exits.empty() && measured.called == 0 && measured.numbers.empty() && all_zero(measured.counters)) {
    count_nothing(procedure);
    return;
  }
  Ends ends = collect_ends(measured, map);
  const bool flags = map.plan.placement == core::Placement::coverage;
  if (flags) {
    find_what_ran(measured, procedure);
  } else if (map.plan.placement == core::Placement::paths) {
    PathCounts counted = count_paths(map, measured_paths(measured, map.plan), path_exits(measured, map), ends.by_block);
    procedure.uncertain += counted.running;
    procedure.may_have_run_on = counted.may_have_run_on;
    procedure.counts = std::move(counted.counts);
    procedure.paths = std::move(counted.paths);
  } else {
    core::Measurement measurement;
    measurement.counters = measured.counters;
    measurement.counters.resize(map.plan.counters.size());
    if (procedure.problem.empty()) procedure.problem = undo_steps(map, measurement.counters);
    measurement.early_exits.assign(ends.by_block.begin(), ends.by_block.end());
    core::Graph graph = map.graph();
    core::Plan plan = map.plan;
    if (plan.called != core::kNone) {
      plan.counters.push_back({core::Site::edge, plan.called});
      measurement.counters.push_back(measured.called);
    }
    std::string contradiction = core::resolve_sums(graph, plan, measurement);
    if (procedure.problem.empty()) procedure.problem = contradiction;
    if (measured.cut_off) add_running(graph, plan, measurement, procedure);
    procedure.counts = core::solve_counts(graph, plan, measurement);
  }
  if (procedure.problem.empty()) procedure.problem = procedure.counts.contradiction;
  if (procedure.problem.empty() && !flags) count_instructions(ends, procedure);
  if (!procedure.problem.empty()) {
    // Numbers that contradict each other are not shown, so there are none to keep.
    count_nothing(procedure);
    procedure.paths.clear();
    return;
  }
  procedure.calls = activations(procedure);
  for (uint64_t count : procedure.executed) {
    procedure.instructions = checked_add(procedure.instructions, count, map.name);
  }
}

}  // namespace chord::analysis
