#include "core/sequences/trace_tokens.h"

#include <algorithm>
#include <bit>

namespace chord::core {
namespace {

class Tokens {
 public:
  Tokens(const Graph &graph, const std::vector<bool> &never) : graph_(graph), never_(never), token_(graph.edge_count()) {}

  std::vector<TraceToken> run() {
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
      if (v == graph_.root() || v == graph_.exit()) continue;
      std::vector<EdgeId> out = taken_from(v);
      if (out.size() == 2) choose_between(v, out[0], out[1]);
      if (out.size() > 2) number(out);
    }
    break_cycles();
    return std::move(token_);
  }

 private:
  std::vector<EdgeId> taken_from(Vertex v) const {
    std::vector<EdgeId> out = graph_.out(v);
    std::erase_if(out, [&](EdgeId e) { return never_[e]; });
    return out;
  }

  void choose_between(Vertex v, EdgeId first, EdgeId second) {
    bool back = graph_.edge(first).to <= v, other_back = graph_.edge(second).to <= v;
    bool first_is_zero = back && !other_back;
    token_[first] = {1, first_is_zero ? 0u : 1u};
    token_[second] = {1, first_is_zero ? 1u : 0u};
  }

  void number(const std::vector<EdgeId> &out) {
    auto bits = static_cast<uint8_t>(std::bit_width(out.size() - 1));
    for (uint32_t i = 0; i < out.size(); ++i) token_[out[i]] = {bits, i};
  }

  // Vertices with one way on form paths; where such a path closes, its last edge by number of its source writes a bit.
  void break_cycles() {
    enum class State : uint8_t { unseen, on_path, done };
    std::vector<State> state(graph_.vertex_count(), State::unseen);
    for (Vertex start = 0; start < graph_.vertex_count(); ++start) {
      std::vector<Vertex> path;
      Vertex v = start;
      while (state[v] == State::unseen && only_edge(v) != kNone) {
        state[v] = State::on_path;
        path.push_back(v);
        v = graph_.edge(only_edge(v)).to;
      }
      if (state[v] == State::on_path) {
        auto begin = std::find(path.begin(), path.end(), v);
        token_[only_edge(*std::max_element(begin, path.end()))] = {1, 0};
      }
      for (Vertex seen : path) state[seen] = State::done;
      if (state[v] == State::unseen) state[v] = State::done;
    }
  }

  EdgeId only_edge(Vertex v) const {
    if (v == graph_.root() || v == graph_.exit()) return kNone;
    std::vector<EdgeId> out = taken_from(v);
    return out.size() == 1 ? out[0] : kNone;
  }

  const Graph &graph_;
  const std::vector<bool> &never_;
  std::vector<TraceToken> token_;
};

}  // namespace

std::vector<TraceToken> trace_tokens(const Graph &graph, const std::vector<bool> &never) { return Tokens(graph, never).run(); }

}  // namespace chord::core
