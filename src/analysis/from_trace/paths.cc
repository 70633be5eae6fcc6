#include "analysis/from_trace/paths.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace chord::analysis {
namespace {

constexpr uint64_t kMostTracedPaths = uint64_t{1} << 62;  // as in builds that count them

bool is_landing_vertex(const format::Procedure &map, uint32_t vertex) { return map.blocks[vertex].kind == format::VertexKind::landing; }

}  // namespace

TracePaths::Counted &TracePaths::counted(const TracedCode &code, uint32_t procedure) {
  std::vector<std::unique_ptr<Counted>> &all = by_code_[&code];
  all.resize(code.size());
  if (all[procedure]) return *all[procedure];
  const format::Procedure &map = *code.procedure(procedure).map;
  all[procedure] = std::make_unique<Counted>();
  std::vector<bool> forced(map.edges.size());
  for (uint32_t e = 1; e < map.edges.size(); ++e) forced[e] = is_landing_vertex(map, map.edges[e].to);
  if (auto numbering = core::number_paths(map.graph(), {}, kMostTracedPaths, all[procedure]->why_not, forced)) all[procedure]->numbering = std::move(*numbering);
  return *all[procedure];
}

void TracePaths::take(Counted &counted, const format::Procedure &map, core::EdgeId edge, Open &open) {
  const core::PathNumbering &n = counted.numbering;
  const format::Edge &e = map.edges[edge];
  const bool from_outside = e.from == 0 && is_landing_vertex(map, e.to);
  if (from_outside) {
    open = {n.value[n.start_edge[e.to]], true};
    return;
  }
  if (e.from == 0) open = {n.value[n.start_edge[0]], true};
  open.sum += n.value[n.dag_edge[edge]];
  const bool ends = n.cut[edge] || e.to == 1;
  if (ends && open.known) ++counted.whole[open.sum];
  if (ends && !open.known) ++counted.unknown;
  if (n.cut[edge]) open = {n.value[n.start_edge[e.to]], true};
}

void TracePaths::leave(Counted &counted, const TracedStep &step, const Open &open) {
  if (open.known)
    ++counted.partial[{step.block, step.instruction, step.executed, open.sum}];
  else
    ++counted.unknown;
}

void TracePaths::add(const TracedCode &code, const format::TraceStream &stream) {
  TraceCursor cursor(code, stream);
  std::vector<TracedStep> steps;
  std::vector<Open> open;
  cursor.note_steps(steps);
  auto drain = [&] {
    for (const TracedStep &step : steps) {
      if (step.frame == TracedStep::kAll) {
        forgotten_ += open.size();
        open.clear();
        continue;
      }
      Counted &own = counted(code, step.procedure);
      if (!own.why_not.empty()) continue;
      open.resize(std::max(open.size(), step.frame + 1));
      if (step.edge == core::kNone)
        leave(own, step, std::exchange(open[step.frame], Open{}));
      else
        take(own, *code.procedure(step.procedure).map, step.edge, open[step.frame]);
    }
    steps.clear();
    open.resize(std::min(open.size(), cursor.stack().size()));
  };
  for (TraceStretch s; cursor.next(s);) drain();
  drain();
  for (size_t frame = cursor.stack().size(); frame-- > 0;) {
    if (!cursor.stack()[frame].interrupted) steps.push_back(cursor.standing(frame));
  }
  open.resize(cursor.stack().size());
  for (const TracedStep &step : steps) {
    Counted &own = counted(code, step.procedure);
    if (own.why_not.empty()) leave(own, step, open[step.frame]);
  }
  for (uint32_t p = 0; p < code.size(); ++p) by_key_[{stream.module, code.procedure(p).map->key}] = &counted(code, p);
}

void TracePaths::give_to(Program &program) const {
  std::map<const format::Procedure *, format::Procedure *> maps;
  for (Module &module : program.modules) {
    for (format::UnitMap &unit : module.units) {
      for (format::Procedure &map : unit.procedures) maps[&map] = &map;
    }
  }
  uint64_t unknown = forgotten_;
  for (CountedProcedure &p : program.procedures) {
    auto found = by_key_.find({program.modules[p.module].path, p.map->key});
    if (found == by_key_.end() || !found->second->why_not.empty() || !p.exact()) continue;
    const Counted &counted = *found->second;
    core::Plan &plan = maps.at(p.map)->plan;
    plan.placement = core::Placement::paths;
    plan.paths.paths = counted.numbering.paths;
    for (core::EdgeId e = 1; e < counted.numbering.cut.size(); ++e) {
      if (counted.numbering.cut[e]) plan.paths.cuts.push_back(e);
    }
    plan.paths.partial.assign(p.map->blocks.size(), 0);
    std::vector<PathExit> exits;
    std::vector<int64_t> early(p.map->blocks.size());
    for (const auto &[where, count] : counted.partial) {
      const auto &[block, instruction, executed, sum] = where;
      exits.push_back({core::Vertex(block), instruction, executed, sum, count});
      early[block] += count;
    }
    PathCounts paths = count_paths(*p.map, {counted.whole, {}, false}, exits, early);
    unknown += counted.unknown;
    if (counted.unknown == 0 && forgotten_ == 0 && paths.counts.contradiction.empty() && p.ran_in_profile && paths.counts.edge.size() == p.counts.edge.size()) {
      for (size_t e = 1; e < p.counts.edge.size(); ++e) {
        if (paths.counts.edge[e] != p.counts.edge[e]) paths.counts.contradiction = fmt::format("edge {} is on {} paths, and was taken {} times", e, paths.counts.edge[e], p.counts.edge[e]);
      }
    }
    if (counted.unknown == 0 && forgotten_ == 0) p.problem = paths.counts.contradiction;
    p.paths = std::move(paths.paths);
  }
  if (unknown != 0)
    program.warnings.push_back(fmt::format("{} paths had begun before they were recorded (after a fork, a pause, on another stack), and are not counted", unknown));
}

}  // namespace chord::analysis
