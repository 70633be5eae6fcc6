#include "analysis/program/path_counts.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/diagnostics.h"
#include "format/inputs/path_selection.h"

namespace chord::analysis {
namespace {

bool is_landing(const format::Procedure &map, uint32_t vertex) {
  return map.blocks[vertex].kind == format::VertexKind::landing;
}

// Control that comes from outside: no path holds this edge.
bool is_from_outside(const format::Procedure &map, uint32_t edge) {
  return map.edges[edge].from == 0 && is_landing(map, map.edges[edge].to);
}

class PathCounter {
 public:
  PathCounter(const format::Procedure &map, const std::vector<int64_t> &early_exits)
      : map_(map), graph_(map.graph()), early_(early_exits), edge_(map.edges.size()), starts_(map.blocks.size()) {}

  PathCounts run(const MeasuredPaths &measured, const std::vector<PathExit> &exits) {
    std::string &wrong = out_.counts.contradiction;
    numbering_ = format::plan_numbering(map_, wrong);
    if (!wrong.empty()) return std::move(out_);
    for (auto [number, count] : measured.counters) {
      if (count == 0) continue;
      if (number >= numbering_->paths) {
        wrong = fmt::format("path {} was counted, and there are {}", number, numbering_->paths);
        return std::move(out_);
      }
      CountedPath path{number, core::regenerate_path(*numbering_, number), static_cast<int64_t>(count)};
      add(path);
      out_.paths.push_back(std::move(path));
    }
    for (const PathExit &exit : exits) add_partial(exit);
    if (wrong.empty() && measured.cut_off) add_running(measured.beginnings);
    if (wrong.empty()) enter_from_outside();
    if (wrong.empty()) conclude();
    return std::move(out_);
  }

 private:
  void add(const CountedPath &path) {
    starts_[path.path.first] += path.count;
    for (core::EdgeId e : path.path.edges) edge_[e] += path.count;
  }

  void add_partial(const PathExit &exit) {
    uint64_t sum = exit.path + static_cast<uint64_t>(map_.plan.paths.partial[exit.block]);
    std::optional<core::Path> partial = core::regenerate_partial_path(*numbering_, sum, exit.block);
    if (!partial) {
      out_.counts.contradiction = fmt::format("{} activations ended in block {} with path register {:#x}, which no path there has",
                                              exit.count, exit.block, exit.path);
      return;
    }
    CountedPath path{0, std::move(*partial), exit.count, true, exit.block, exit.instruction, exit.executed};
    add(path);
    out_.paths.push_back(std::move(path));
  }

  // ---- what was running when a process was killed ----

  void add_running(const std::vector<uint64_t> &beginnings) {
    early_.resize(map_.blocks.size());
    out_.may_have_run_on = map_.plan.counters.empty();
    for (size_t k = 0; k < map_.plan.counters.size(); ++k) {
      const core::EdgeId e = map_.plan.counters[k].edge();
      const auto begun = static_cast<int64_t>(k < beginnings.size() ? beginnings[k] : 0);
      if (begun < edge_[e]) {
        out_.counts.contradiction = fmt::format("{} activations began on edge {}, and {} paths", begun, e, edge_[e]);
        return;
      }
      run_on({map_.edges[e].from, map_.edges[e].from == 0, false, {e}}, begun - edge_[e]);
    }
    std::vector<int64_t> continued = continuing();
    for (core::Vertex v = 2; v < map_.blocks.size(); ++v) {
      if (continued[v] == 0) continue;
      const int64_t running = continued[v] - starts_[v];
      if (!is_landing(map_, v)) {
        run_on({v, false, false, {}}, running);
      } else {
        out_.may_have_run_on = true;
        stay_before(v, running);
      }
    }
  }

  void hold(CountedPath path) {
    add(path);
    early_[path.last_block] += path.count;
    out_.running += static_cast<uint64_t>(path.count);
    out_.paths.push_back(std::move(path));
  }

  // Those that had begun such a path before counting began (in the parent of a process, say) stood where that is told: at least so far they are.
  int64_t run_on_from_before(const core::Path &begins, int64_t running) {
    for (size_t n = 0, known = out_.paths.size(); n < known && running > 0; ++n) {
      CountedPath earlier = out_.paths[n];
      bool same = earlier.partial && earlier.count < 0 && earlier.path.first == begins.first;
      if (same && !begins.edges.empty()) same = !earlier.path.edges.empty() && earlier.path.edges[0] == begins.edges[0];
      if (!same) continue;
      earlier.count = std::min(running, -earlier.count);
      earlier.running = true;
      running -= earlier.count;
      hold(std::move(earlier));
    }
    return running;
  }

  // They have begun the path, and it is not known how far they came.
  void run_on(core::Path path, int64_t running) {
    if (running > 0) running = run_on_from_before(path, running);
    if (running <= 0) return;
    core::Vertex at = path.edges.empty() ? path.first : map_.edges[path.edges.back()].to;
    while (map_.blocks[at].kind != format::VertexKind::code) {
      const auto &out = graph_.out(at);
      auto on = std::find_if(out.begin(), out.end(), [&](core::EdgeId e) { return e != 0 && !numbering_->cut[e]; });
      if (on == out.end() || path.edges.size() > map_.edges.size()) {
        out_.counts.contradiction = fmt::format("{} activations were running at vertex {}, which no path goes on from", running, at);
        return;
      }
      path.edges.push_back(*on);
      at = map_.edges[*on].to;
    }
    const format::Block &block = map_.blocks[at];
    hold({0, std::move(path), running, true, at, block.first + block.count - (block.count == 0 ? 0 : 1), block.count != 0, true});
  }

  // The path was counted before a call that returns twice, which they were in.
  void stay_before(core::Vertex landing, int64_t running) {
    for (core::EdgeId e : graph_.in(landing)) {
      if (running <= 0) return;
      if (e == 0 || is_from_outside(map_, e)) continue;
      const int64_t here = std::min(running, edge_[e]);
      edge_[e] -= here;
      early_[map_.edges[e].from] += here;
      out_.running += static_cast<uint64_t>(here);
      running -= here;
    }
  }

  // By block: paths that ended with an edge to it.
  std::vector<int64_t> continuing() const {
    std::vector<int64_t> continued(map_.blocks.size());
    for (core::EdgeId e : map_.plan.paths.cuts) {
      if (!is_from_outside(map_, e)) continued[map_.edges[e].to] += edge_[e];
    }
    return continued;
  }

  // Each path starts where one ended, or at the entry, or after a landing; what the
  // first two do not explain came from outside.
  void enter_from_outside() {
    std::vector<int64_t> continued = continuing();
    for (core::Vertex v = 1; v < map_.blocks.size(); ++v) {
      int64_t missing = starts_[v] - continued[v];
      if (missing == 0) continue;
      uint32_t way_in = core::kNone;
      for (core::EdgeId e : graph_.in(v)) {
        if (e != 0 && is_from_outside(map_, e)) way_in = e;
      }
      if (way_in == core::kNone) {
        out_.counts.contradiction = fmt::format("{} paths start at block {}, and {} ended there", starts_[v], v, continued[v]);
        return;
      }
      edge_[way_in] = missing;
    }
  }

  void conclude() {
    core::Counts &counts = out_.counts;
    for (core::EdgeId e : graph_.out(0)) edge_[0] += edge_[e];
    counts.edge_known.assign(map_.edges.size(), true);
    counts.vertex.assign(map_.blocks.size(), 0);
    for (uint32_t e = 0; e < map_.edges.size(); ++e) {
      if (edge_[e] < 0) {
        counts.contradiction = fmt::format("edge {} ({}->{}) would be {}", e, map_.edges[e].from, map_.edges[e].to, edge_[e]);
        return;
      }
      counts.edge.push_back(static_cast<uint64_t>(edge_[e]));
      counts.vertex[map_.edges[e].to] += counts.edge.back();
    }
    for (core::Vertex v = 2; v < map_.blocks.size(); ++v) {
      uint64_t out = early_.empty() ? 0 : static_cast<uint64_t>(early_[v]);
      for (core::EdgeId e : graph_.out(v)) out += counts.edge[e];
      if (out == counts.vertex[v]) continue;
      counts.contradiction = fmt::format("block {} was entered {} times and left {} times", v, counts.vertex[v], out);
      return;
    }
  }

  const format::Procedure &map_;
  core::Graph graph_;
  std::vector<int64_t> early_;
  std::optional<core::PathNumbering> numbering_;
  std::vector<int64_t> edge_;    // by edge
  std::vector<int64_t> starts_;  // by block: paths that start there
  PathCounts out_;
};

bool is_cut(const format::Procedure &map, uint32_t edge) {
  const std::vector<core::EdgeId> &cuts = map.plan.paths.cuts;
  return std::binary_search(cuts.begin(), cuts.end(), edge);
}

}  // namespace

PathCounts count_paths(const format::Procedure &map, const MeasuredPaths &measured, const std::vector<PathExit> &exits,
                       const std::vector<int64_t> &early_exits) {
  return PathCounter(map, early_exits).run(measured, exits);
}

std::vector<CountedPath> count_chosen_paths(const format::Procedure &map, const Numbered &counters,
                                            std::string &wrong) {
  const core::PathPlan &plan = map.plan.paths;
  std::vector<CountedPath> paths;
  std::optional<core::PathNumbering> numbering = format::plan_numbering(map, wrong);
  if (!numbering) return paths;
  for (size_t k = 0; k < plan.chosen.size(); ++k) {
    auto found = counters.find(plan.slots[k]);
    uint64_t count = found == counters.end() ? 0 : found->second;
    paths.push_back({plan.chosen[k], core::regenerate_path(*numbering, plan.chosen[k]), static_cast<int64_t>(count)});
  }
  return paths;
}

core::PathNumbering numbering_of(const format::Procedure &map) {
  std::string why_not;
  std::optional<core::PathNumbering> numbering = format::plan_numbering(map, why_not);
  if (!numbering) throw base::Error(fmt::format("{}: {}", map.name, why_not));
  return std::move(*numbering);
}

CountedPath path_numbered(const format::Procedure &map, const std::vector<CountedPath> &ran, uint64_t number) {
  for (const CountedPath &path : ran) {
    if (!path.partial && path.number == number) return path;
  }
  return {number, core::regenerate_path(numbering_of(map), number)};
}

std::vector<uint32_t> blocks_of(const format::Procedure &map, const CountedPath &path) {
  std::vector<uint32_t> blocks{path.path.first};
  for (core::EdgeId e : path.path.edges) {
    if (!is_cut(map, e)) blocks.push_back(map.edges[e].to);
  }
  return blocks;
}

uint64_t length_of(const format::Procedure &map, const CountedPath &path) {
  uint64_t length = 0;
  for (uint32_t b : blocks_of(map, path)) length += map.blocks[b].count;
  for (core::EdgeId e : path.path.edges) length += map.edges[e].padding_count;
  if (!path.partial) return length;
  const format::Block &last = map.blocks[path.last_block];
  return length - last.count + (path.instruction - last.first) + (path.executed ? 1 : 0);
}

uint64_t possible_paths(const format::Procedure &map) {
  uint64_t paths = map.plan.paths.paths;
  for (core::EdgeId e : map.plan.paths.cuts) paths -= is_from_outside(map, e) ? 1 : 0;
  return paths;
}

}  // namespace chord::analysis
