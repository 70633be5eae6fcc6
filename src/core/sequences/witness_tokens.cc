#include "core/sequences/witness_tokens.h"

#include <algorithm>
#include <bit>

#include "core/graph/union_find.h"

namespace chord::core {

WitnessTokens::WitnessTokens(const Graph &graph, const std::vector<bool> &never, const std::vector<EdgeId> &witnesses)
    : graph_(&graph), taken_(graph.edge_count()), writes_(graph.edge_count()) {
  for (EdgeId e = 0; e < graph.edge_count(); ++e) taken_[e] = e != Graph::return_edge() && !never[e];
  for (EdgeId e : witnesses) writes_[e] = taken_[e];
  const std::vector<std::vector<EdgeId>> groups = read_together();
  size_t size = 0, work = 0;
  for (const std::vector<EdgeId> &group : groups) {
    size += group.size();
    work += group.size() * group.size();
  }
  if (size > kMostNext || work > 64 * kMostNext) return;
  tokens_.resize(graph.edge_count());
  choose_values(groups, witnesses);
}

std::vector<EdgeId> WitnessTokens::next_on(EdgeId edge) const {
  if (writes_[edge]) return {edge};
  return next_at(graph_->edge(edge).to);
}

std::vector<EdgeId> WitnessTokens::next_at(Vertex start) const {
  std::vector<EdgeId> next;
  std::vector<Vertex> todo{start};
  std::vector<bool> seen(graph_->vertex_count());
  seen[start] = true;
  while (!todo.empty()) {
    const Vertex v = todo.back();
    todo.pop_back();
    for (EdgeId e : graph_->out(v)) {
      const Vertex to = graph_->edge(e).to;
      if (!taken_[e]) continue;
      if (writes_[e]) {
        next.push_back(e);
      } else if (!seen[to]) {
        seen[to] = true;
        todo.push_back(to);
      }
    }
  }
  return next;
}

// What comes next at vertices that no free edge leads to; elsewhere it is a part of that.
std::vector<std::vector<EdgeId>> WitnessTokens::read_together() const {
  std::vector<std::vector<EdgeId>> groups;
  size_t size = 0;
  for (Vertex v = 0; v < graph_->vertex_count() && size <= kMostNext; ++v) {
    const bool reached = std::any_of(graph_->in(v).begin(), graph_->in(v).end(),
                                     [&](EdgeId e) { return taken_[e] && !writes_[e] && graph_->edge(e).from != graph_->root(); });
    if (v == graph_->root() || reached) continue;
    groups.push_back(next_at(v));
    size += groups.back().size();
  }
  return groups;
}

// The least value that none of those it could be taken for has. Edges that go back in the text choose first: 0 is the cheapest to write.
void WitnessTokens::choose_values(const std::vector<std::vector<EdgeId>> &groups, const std::vector<EdgeId> &witnesses) {
  std::vector<std::vector<uint32_t>> groups_of(graph_->edge_count());
  UnionFind tied(graph_->edge_count());
  for (uint32_t g = 0; g < groups.size(); ++g) {
    for (EdgeId e : groups[g]) {
      groups_of[e].push_back(g);
      tied.unite(e, groups[g].front());
    }
  }
  std::vector<EdgeId> order = witnesses;
  std::stable_partition(order.begin(), order.end(), [&](EdgeId e) { return graph_->edge(e).to <= graph_->edge(e).from; });
  std::vector<bool> chosen(graph_->edge_count());
  std::vector<uint32_t> greatest(graph_->edge_count());
  std::vector<EdgeId> used(graph_->edge_count() + 1, kNone);  // by value: by whom it is found to be taken
  for (EdgeId e : order) {
    for (uint32_t g : groups_of[e]) {
      for (EdgeId other : groups[g]) {
        if (chosen[other]) used[tokens_[other].value] = e;
      }
    }
    uint32_t value = 0;
    while (used[value] == e) ++value;
    chosen[e] = true;
    tokens_[e].value = value;
    greatest[tied.find(e)] = std::max(greatest[tied.find(e)], value);
  }
  for (EdgeId e : order) tokens_[e].bits = static_cast<uint8_t>(std::max<int>(1, static_cast<int>(std::bit_width(greatest[tied.find(e)]))));
}

}  // namespace chord::core
