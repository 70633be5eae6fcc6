// Proof that counters hold what the plan in the map says.
//
// A plan says by how much each counter goes up on an edge or at a vertex; woven code may do it
// somewhat earlier or later. So at each instruction a counter is ahead of the plan by a constant, the
// same on all paths there; by nothing where activations begin and end. While a counter is held in a
// register, memory and the register together are.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "verify/claims/records.h"
#include "verify/claims/spots.h"
#include "verify/flow/constants.h"
#include "verify/flow/flow.h"
#include "verify/flow/map_graph.h"
#include "verify/program/code_places.h"

namespace chord::verify {

struct ProcedureFacts {
  const Program &program;
  const Pairing &pairing;
  const ProcedureFlow &flow;
  const MapGraph &graph;
  const Constants &constants;
  const Records &records;
  const Spots &spots;
  const std::set<uint32_t> &widened_steps;
  uint32_t function = 0;
  bool atomic = false;  // counters of all threads are to be locked
  const CodePlaces &places;
};

// Throw Unproved.
void prove_counts(const ProcedureFacts &procedure);

// It lies where the record says that its counters do.
bool is_place_of(const Record &record, const Effect &effect);

// Every counter that a probe changes is one of the procedure's, or one of events, of the right kind.
void prove_places(const ProcedureFacts &procedure);

// Places of the graph at which what is known is the same on all paths: instructions, and vertices
// of the map without code.
using Node = uint64_t;
constexpr Node node_of_instruction(uint32_t i) { return i; }
constexpr Node node_of_vertex(uint32_t v) { return uint64_t{1} << 32 | v; }

// Follows every transition of the procedure once, in the order of control. `State` is what is known at
// a node. The visitor has
//   State start(uint32_t vertex)                  where control comes from outside
//   void execute(uint32_t instruction, State &)
//   void take(const Transition &, const EdgeChain *, const Machine *, State &)   chain: null inside a block
//   void arrive(Node, State &)                    brings a state into its usual form
//   bool agree(State &a, const State &b)          two paths that differ may both be right: leaves what both know
//   void leave(const Transition &, const State &)
// and State can be compared. Throws Unproved where two paths do not agree. A visitor that has kStatesApart gets to see every state that
// is possible at a node, instead of one that all paths there agree on; those with `impossible` are dropped.
template <class State, class Visitor>
class Propagation {
 public:
  Propagation(const ProcedureFacts &facts, Visitor &visitor) : f_(facts), visitor_(visitor) {}

  void run() {
    const auto &transitions = f_.flow.transitions();
    std::map<uint32_t, std::vector<const Transition *>> by_vertex;
    for (const Transition &t : transitions) {
      if (t.from != kNone) by_instruction_[t.from].push_back(&t);
      if (t.kind == Transition::Kind::enters) follow(t, visitor_.start(0));
      bool named = t.kind == Transition::Kind::named || t.kind == Transition::Kind::lands;
      if (!named) continue;
      for (const EdgeChain &chain : f_.graph.chains(t)) by_vertex[chain.from].push_back(&t);
    }
    const format::Procedure &map = f_.graph.map();
    for (uint32_t v = 2; v < map.blocks.size(); ++v) {
      if (map.blocks[v].kind == format::VertexKind::landing) reach(node_of_vertex(v), visitor_.start(v), kNone);
    }
    for (const Transition &t : transitions) return_again(t);
    while (!waiting_.empty()) {
      auto [node, state] = std::move(waiting_.back());
      waiting_.pop_back();
      if constexpr (!kApart) state = states_.at(node);
      if (node >> 32) {
        uint32_t v = static_cast<uint32_t>(node);
        for (const Transition *t : by_vertex[v]) follow_from(*t, v, state);
        continue;
      }
      uint32_t i = static_cast<uint32_t>(node);
      visitor_.execute(i, state);
      for (const Transition *t : by_instruction_[i]) follow(*t, state);
    }
  }

 private:
  static constexpr bool kApart = requires { Visitor::kStatesApart; };
  static constexpr size_t kMostStates = 300000;

  // By way of a table: from that vertex.
  void follow_from(const Transition &t, uint32_t vertex, const State &state) {
    for (const EdgeChain &chain : f_.graph.chains(t)) {
      if (chain.from == vertex) go(t, &chain, state);
    }
  }

  // A call that may return twice: the second time control comes from outside, by way of the landing vertex.
  void return_again(const Transition &t) {
    if (t.kind != Transition::Kind::falls || f_.graph.is_inside_block(t)) return;
    const format::Procedure &map = f_.graph.map();
    for (const EdgeChain &chain : f_.graph.chains(t)) {
      core::Vertex v = chain.edges.empty() ? core::Vertex() : map.edges[chain.edges[0]].to;
      if (map.blocks[v].kind != format::VertexKind::landing) continue;
      EdgeChain rest{v, chain.to, {chain.edges.begin() + 1, chain.edges.end()}};
      go(t, &rest, visitor_.start(v));
    }
  }

  void follow(const Transition &t, const State &state) {
    if (f_.graph.is_inside_block(t)) return go(t, nullptr, state);
    for (const EdgeChain &chain : f_.graph.chains(t)) go(t, &chain, state);
  }

  void go(const Transition &t, const EdgeChain *chain, const State &state) {
    uint32_t about = t.from != kNone ? t.from : t.to;
    auto end = [&](const Machine *machine) {
      State now = state;
      visitor_.take(t, chain, machine, now);
      if constexpr (kApart) {
        if (now.impossible) return;
      }
      if (t.to != kNone) {
        reach(node_of_instruction(t.to), now, about);
      } else if (chain != nullptr && chain->to == 1) {
        visitor_.leave(t, now);
      } else if (chain != nullptr) {
        reach(node_of_vertex(chain->to), now, about);
      }
    };
    if (t.ends.empty()) return end(nullptr);
    for (const Machine &machine : t.ends) end(&machine);
  }

  void reach(Node node, State state, uint32_t about) {
    visitor_.arrive(node, state);
    if constexpr (kApart) {
      if (!apart_.emplace(node, state).second) return;
      if (apart_.size() > kMostStates) throw Unproved{f_.program.instrs()[f_.program.functions()[f_.function].entry].last, "too many paths to look at"};
      waiting_.emplace_back(node, std::move(state));
    } else {
      merge(node, state, about);
    }
  }

  void merge(Node node, const State &state, uint32_t about) {
    auto [at, first] = states_.emplace(node, state);
    if (first) waiting_.emplace_back(node, state);
    if (!first && !(at->second == state)) {
      State both = at->second;
      if (visitor_.agree(both, state)) {
        if (both == at->second) return;
        at->second = std::move(both);
        waiting_.emplace_back(node, at->second);
        return;
      }
      uint32_t i = node >> 32 ? about : static_cast<uint32_t>(node);
      if (i == kNone) i = f_.program.functions()[f_.function].entry;
      throw Unproved{f_.program.instrs()[i].last, visitor_.difference(at->second, state)};
    }
  }

  const ProcedureFacts &f_;
  Visitor &visitor_;
  std::unordered_map<Node, State> states_;
  std::set<std::pair<Node, State>> apart_;
  std::vector<std::pair<Node, State>> waiting_;
  std::unordered_map<uint32_t, std::vector<const Transition *>> by_instruction_;
};

}  // namespace chord::verify
