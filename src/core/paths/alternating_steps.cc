#include "core/paths/alternating_steps.h"

#include <algorithm>
#include <map>

namespace chord::core {

std::optional<std::vector<Vertex>> alternating_steps(const Graph &graph, const Loops &loops, uint32_t loop, Vertex c,
                                             const std::vector<uint8_t> &stepping, const std::vector<bool> &never) {
  std::map<Vertex, bool> due{{loops.loops[loop].header, false}};  // at the vertex's start, c not yet entered
  std::vector<Vertex> todo{loops.loops[loop].header};
  while (!todo.empty()) {
    Vertex v = todo.back();
    todo.pop_back();
    bool now = due[v];
    if (v == c) {
      if (now) return std::nullopt;
      now = true;
    }
    if (stepping[v] != 0) {
      if (!now || stepping[v] != 1) return std::nullopt;
      now = false;
    }
    for (EdgeId e : graph.out(v)) {
      if (e == Graph::return_edge() || never[e]) continue;
      Vertex to = graph.edge(e).to;
      if (!loops.contains(loop, to)) {
        if (now) return std::nullopt;
        continue;
      }
      auto [known, fresh] = due.emplace(to, now);
      if (fresh) todo.push_back(to);
      if (known->second != now) return std::nullopt;
    }
  }
  std::vector<Vertex> out;
  for (const auto &[v, is_due] : due) {
    if (is_due || v == c) out.push_back(v);
  }
  return due.contains(c) ? std::optional(out) : std::nullopt;
}

}  // namespace chord::core
