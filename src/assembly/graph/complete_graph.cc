#include "assembly/graph/complete_graph.h"

#include <algorithm>

namespace chord::assembly {
namespace {

// Blocks on the paths from a block, or to it.
std::vector<bool> closure(const Procedure &p, uint32_t from, bool forward) {
  std::vector<std::vector<uint32_t>> next(p.blocks.size());
  for (size_t e = 1; e < p.edges.size(); ++e) {
    const Edge &x = p.edges[e];
    forward ? next[x.from].push_back(x.to) : next[x.to].push_back(x.from);
  }
  std::vector<bool> seen(p.blocks.size());
  std::vector<uint32_t> work = {from};
  seen[from] = true;
  while (!work.empty()) {
    uint32_t v = work.back();
    work.pop_back();
    for (uint32_t w : next[v]) {
      if (!seen[w]) {
        seen[w] = true;
        work.push_back(w);
      }
    }
  }
  return seen;
}

// Code nobody jumps to: dead, and counted as such.
void make_reachable(Procedure &p) {
  for (std::vector<bool> seen = closure(p, kEntry, true);;) {
    auto it = std::find(seen.begin() + 2, seen.end(), false);
    if (it == seen.end()) return;
    core::Vertex v(static_cast<uint32_t>(it - seen.begin()));
    p.edges.push_back({kEntry, v, EdgeKind::never, 0, 0, {}});
    std::vector<bool> more = closure(p, v, true);
    for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || more[i];
  }
}

// Endless loops, and blocks after which nothing comes.
void make_leavable(Procedure &p) {
  for (std::vector<bool> seen = closure(p, kExit, false);;) {
    auto it = std::find(seen.rbegin(), seen.rend(), false);
    if (it == seen.rend()) return;
    core::Vertex v(static_cast<uint32_t>(seen.rend() - it - 1));
    p.edges.push_back({v, kExit, EdgeKind::never, 0, 0, {}});
    std::vector<bool> more = closure(p, v, false);
    for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || more[i];
  }
}

}  // namespace

void complete_graph(Procedure &procedure) {
  make_reachable(procedure);
  make_leavable(procedure);
}

}  // namespace chord::assembly
