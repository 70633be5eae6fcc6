#include "core/paths/path_set.h"

namespace chord::core {

PathSet::PathSet(const PathNumbering &numbering, std::vector<bool> never, PathPattern pattern)
    : numbering_(numbering), never_(std::move(never)), pattern_(std::move(pattern)) {
  if (!pattern_.step) pattern_.step = [](uint64_t state, Vertex) { return std::optional<uint64_t>(state); };
  if (!pattern_.accepts) pattern_.accepts = [](uint64_t) { return true; };
  size_ = count(numbering.start, 0);
}

bool PathSet::can_take(EdgeId e) const {
  if (!numbering_.left_out.empty() && numbering_.left_out[e]) return false;
  EdgeId original = numbering_.original[e];
  return original == kNone || !never_[original];
}

std::optional<uint64_t> PathSet::next_state(EdgeId e, uint64_t state) const {
  if (e == Graph::return_edge() || !can_take(e)) return std::nullopt;
  Vertex to = numbering_.dag.edge(e).to;
  return to == numbering_.dag.exit() ? state : pattern_.step(state, to);
}

// Sums are at most the number of all paths, which fits.
uint64_t PathSet::count(Vertex v, uint64_t state) {
  if (v == numbering_.dag.exit()) return pattern_.accepts(state) ? 1 : 0;
  if (auto known = paths_.find({v, state}); known != paths_.end()) return known->second;
  uint64_t sum = 0;
  for (EdgeId e : numbering_.dag.out(v)) {
    if (auto next = next_state(e, state)) sum += count(numbering_.dag.edge(e).to, *next);
  }
  return paths_[{v, state}] = sum;
}

bool PathSet::contains(uint64_t number) const {
  std::optional<uint64_t> state = 0;
  for (EdgeId e : regenerate_dag_path(numbering_, number)) {
    if (state) state = next_state(e, *state);
  }
  return state && pattern_.accepts(*state);
}

uint64_t PathSet::number(uint64_t k) const {
  uint64_t number = 0, state = 0;
  for (Vertex v = numbering_.start; v != numbering_.dag.exit();) {
    for (EdgeId e : numbering_.dag.out(v)) {
      auto next = next_state(e, state);
      if (!next) continue;
      Vertex to = numbering_.dag.edge(e).to;
      uint64_t paths = to == numbering_.dag.exit() ? (pattern_.accepts(*next) ? 1 : 0) : paths_.at({to, *next});
      if (k < paths) {
        number += numbering_.value[e];
        state = *next;
        v = to;
        break;
      }
      k -= paths;
    }
  }
  return number;
}

}  // namespace chord::core
