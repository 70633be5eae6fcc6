#include "analysis/counting/what_ran.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/program/blocks_of_instructions.h"
#include "base/diagnostics.h"
#include "core/counters/coverage_flags.h"
#include "format/facts/only_ran.h"

namespace chord::analysis {
namespace {

class Covering {
 public:
  Covering(const MeasuredProcedure &measured, CountedProcedure &procedure)
      : measured_(measured), procedure_(procedure), map_(*procedure.map), graph_(map_.graph()), ended_(map_.blocks.size()),
        reached_(map_.blocks.size()) {}

  void run() {
    procedure_.may_have_run_on = measured_.cut_off;
    read_flags();
    read_ends();
    core::Ran ran = core::solve_ran(graph_, map_.plan, set_, ended_, procedure_.open || measured_.cut_off);
    procedure_.counts.edge.assign(ran.edge.begin(), ran.edge.end());
    procedure_.counts.vertex.assign(ran.vertex.begin(), ran.vertex.end());
    procedure_.counts.edge_known.assign(map_.edges.size(), true);
    procedure_.counts.contradiction = ran.contradiction;
    find_instructions();
  }

 private:
  // Someone who ended at the jump after its flag had it set and taken back; what is left is the number of segments in which it was
  // set, less those.
  void read_flags() {
    for (uint32_t k = 0; k < map_.plan.counters.size(); ++k) {
      set_.push_back(k < measured_.counters.size() && static_cast<int64_t>(measured_.counters[k]) > 0);
    }
  }

  void read_ends() {
    std::vector<core::Vertex> block_of = blocks_of_instructions(map_);
    for (const MeasuredProcedure::Exit &exit : measured_.exits) {
      uint32_t block = block_of[exit.instruction];
      if (exit.count < 0) {
        procedure_.open = true;
        continue;
      }
      ended_[block] = true;
      reached_[block] = std::max(reached_[block], exit.instruction + (exit.executed ? 1 : 0) - map_.blocks[block].first);
      if (!exit.executed && hides_flag(exit.instruction)) procedure_.open = true;
    }
  }

  // A flag of an edge that starts with the instruction has been taken back, and nobody knows who else had set it.
  bool hides_flag(uint32_t instruction) const {
    return std::any_of(map_.spots.begin(), map_.spots.end(), [&](const format::Spot &spot) {
      return spot.instruction == instruction &&
             std::any_of(spot.lacks.begin(), spot.lacks.end(), [&](const format::Spot::Lack &l) { return l.count < 0 && !set_[l.counter]; });
    });
  }

  void find_instructions() {
    procedure_.executed.assign(map_.instructions.size(), 0);
    for (core::Vertex b = 0; b < map_.blocks.size(); ++b) {
      if (procedure_.counts.vertex[b] == 0) continue;
      bool left = std::any_of(graph_.out(b).begin(), graph_.out(b).end(), [&](core::EdgeId e) { return procedure_.counts.edge[e] != 0; });
      std::fill_n(procedure_.executed.begin() + map_.blocks[b].first, left ? map_.blocks[b].count : reached_[b], 1);
    }
    for (uint32_t e = 0; e < map_.edges.size(); ++e) {
      const format::Edge &edge = map_.edges[e];
      if (procedure_.counts.edge[e] != 0) std::fill_n(procedure_.executed.begin() + edge.padding_first, edge.padding_count, 1);
    }
  }

  const MeasuredProcedure &measured_;
  CountedProcedure &procedure_;
  const format::Procedure &map_;
  core::Graph graph_;
  std::vector<bool> set_;          // by flag
  std::vector<bool> ended_;        // by block
  std::vector<uint32_t> reached_;  // by block: instructions executed by the one of those who ended in it that came farthest
};

void cut_to_one(std::vector<uint64_t> &counts) {
  for (uint64_t &count : counts) count = std::min<uint64_t>(count, 1);
}

void cut_to_one(CountedProcedure &p) {
  cut_to_one(p.counts.edge);
  cut_to_one(p.counts.vertex);
  cut_to_one(p.executed);
  p.calls = std::min<uint64_t>(p.calls, 1);
  p.instructions = static_cast<uint64_t>(std::count(p.executed.begin(), p.executed.end(), uint64_t{1}));
}

bool is_for_coverage(const CountedProcedure &p) { return format::is_built_for_coverage(*p.map); }

}  // namespace

void find_what_ran(const MeasuredProcedure &measured, CountedProcedure &procedure) { Covering(measured, procedure).run(); }

void keep_what_ran(Program &program, bool welcome) {
  program.only_ran = std::any_of(program.procedures.begin(), program.procedures.end(), is_for_coverage);
  if (!program.only_ran) return;
  if (!welcome) {
    throw base::Error(fmt::format("{}: built with --coverage, it has no counts", program.name),
                      "`chord report`, `chord annotate` and `chord export lcov` show what ran; build without --coverage to count");
  }
  program.instructions = 0;
  size_t open = 0;
  std::string first;
  for (CountedProcedure &p : program.procedures) {
    cut_to_one(p);
    program.instructions += p.instructions;
    if (p.open && ++open == 1) first = p.map->name;
  }
  if (open != 0) {
    program.warnings.push_back(
        fmt::format("{} functions (such as {}) were running when observation began (a fork, chord_reset) or were cut off at a flag: what "
                    "leads to where they stood is shown as run with them, even if it ran before",
                    open, first));
  }
}

}  // namespace chord::analysis
