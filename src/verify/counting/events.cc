#include "verify/counting/events.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <array>

#include "format/facts/measured_calls.h"

namespace chord::verify {

using format::EdgeKind;
using format::VertexKind;

namespace {

struct State {
  std::array<int64_t, CHORD_EVENT_KINDS> ahead{};
  std::vector<uint32_t> open;  // brackets
  bool operator==(const State &) const = default;
};

class EventVisitor {
 public:
  explicit EventVisitor(const ProcedureFacts &f) : f_(f), map_(f.graph.map()), kinds_(f.records.event_kinds) {
    kinds_ &= ~(1u << CHORD_EVENT_COST);
    measures_ = f.records.by_key.contains(format::totals_key(map_));
    if (!measures_) return;
    uint32_t k = 0;
    for (uint32_t n : format::measured_calls(map_)) measured_[f.graph.instruction(n)] = ++k;
  }

  State start(uint32_t vertex) {
    State state;
    if (vertex != 0 && measures_) state.open = {0};
    return state;
  }

  void execute(uint32_t i, State &state) {
    const Facts &x = f_.program.instrs()[i].facts;
    bool call = x.flow == Flow::call, jump = x.flow == Flow::jump || x.flow == Flow::conditional;
    happen(state, CHORD_EVENT_INSTRUCTIONS, 1);
    happen(state, CHORD_EVENT_CALLS, call);
    happen(state, CHORD_EVENT_BRANCHES, jump);
    happen(state, CHORD_EVENT_BACKWARD, call);
    happen(state, CHORD_EVENT_LOADS, x.loads);
    happen(state, CHORD_EVENT_STORES, x.stores);
    if (!call) return;
    exact(state, i, "a counter of events is not exact at a call");
    if (measures_) at_call(i, state);
  }

  void take(const Transition &t, const EdgeChain *chain, const Machine *machine, State &state) {
    uint32_t about = t.from != kNone ? t.from : t.to;
    if (chain != nullptr) {
      for (uint32_t e : chain->edges) leave_block(t, map_.edges[e], state);
    }
    if (machine != nullptr) insert(t, about, *machine, state);
    happen(state, CHORD_EVENT_INSTRUCTIONS, t.padding);
    if (chain == nullptr) return;
    for (uint32_t e : chain->edges) happen(state, CHORD_EVENT_BLOCKS, map_.blocks[map_.edges[e].to].kind == VertexKind::code);
  }

  void arrive(Node, State &) {}

  void leave(const Transition &t, const State &state) {
    exact(state, t.from, "a counter of events is not exact when it returns");
    if (!state.open.empty()) fail(t.from, "a bracket is open when it returns");
  }

  static bool agree(State &, const State &) { return false; }

  std::string difference(const State &a, const State &b) const {
    return a.open == b.open ? "events are not counted alike on all paths here" : "brackets are not open alike on all paths here";
  }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }

  void happen(State &state, unsigned kind, int64_t many) const {
    if (kinds_ & (1u << kind)) state.ahead[kind] -= many;
  }

  void exact(const State &state, uint32_t i, const char *what) const {
    for (unsigned kind = 0; kind < CHORD_EVENT_KINDS; ++kind) {
      if (state.ahead[kind] != 0) fail(i, fmt::format("{}: kind {} is ahead by {}", what, kind, state.ahead[kind]));
    }
  }

  void at_call(uint32_t i, const State &state) const {
    auto measured = measured_.find(i);
    std::vector<uint32_t> expected = {0};
    if (measured != measured_.end()) expected.push_back(measured->second);
    if (state.open == expected) return;
    // What finds thread-local storage is not measured: linkers rewrite the call.
    std::string_view operands = f_.program.source().statements[f_.program.instrs()[i].last].operands;
    bool storage = operands.find("__tls_get_addr") != operands.npos || operands.find("tlscall") != operands.npos || operands.find("TLSCALL") != operands.npos;
    if (!storage || state.open != std::vector<uint32_t>{0}) fail(i, "the brackets around a call are not its own");
  }

  // Events of taking an edge, besides instructions and blocks.
  void leave_block(const Transition &t, const format::Edge &e, State &state) const {
    if (e.kind == EdgeKind::tail_call) {
      happen(state, CHORD_EVENT_CALLS, 1);
      happen(state, CHORD_EVENT_BACKWARD, 1);
    }
    bool from_code = map_.blocks[e.from].kind == VertexKind::code;
    if (e.kind == EdgeKind::dispatch && from_code) happen(state, CHORD_EVENT_BACKWARD, 1);
    bool jumps = from_code && (e.kind == EdgeKind::taken || e.kind == EdgeKind::jump);
    if (jumps && t.to != kNone) happen(state, CHORD_EVENT_BACKWARD, goes_back(t.from, t.to));
  }

  bool goes_back(uint32_t from, uint32_t to) const {
    uint32_t a = map_.instructions[f_.graph.number_of(from)].fragment, b = map_.instructions[f_.graph.number_of(to)].fragment;
    if (a != b) return b == 0;
    return f_.program.instrs()[to].offset <= f_.program.instrs()[from].offset;
  }

  void insert(const Transition &t, uint32_t about, const Machine &machine, State &state) const {
    int64_t last = -1;
    for (const Effect &e : machine.effects()) {
      if (e.kind == Effect::Kind::count && e.symbol == "__chord_events") {
        last = e.index.number;
        unsigned kind = static_cast<unsigned>(last % CHORD_EVENT_KINDS);
        if (kind == CHORD_EVENT_COST) continue;
        if (!(kinds_ & (1u << kind))) fail(about, "a kind of events is counted that was not asked for");
        state.ahead[kind] += e.amount.number;
      }
      if (e.kind == Effect::Kind::asks_budget) ask(t, e, about, last, state);
      if (e.kind == Effect::Kind::opens || e.kind == Effect::Kind::closes) bracket(t, e, about, state);
    }
  }

  // Instructions of the transition's padding that have been executed where an inserted instruction stands.
  int64_t padding_in_front(const Transition &t, uint32_t statement) const {
    if (t.padding == 0 || t.to == kNone) return 0;
    const assembly::Source &woven = f_.pairing.woven();
    uint32_t to = f_.pairing.woven_of(f_.program.instrs()[t.to].first);
    for (uint32_t s = f_.pairing.next(statement), steps = 0; s != kNone && s != to && steps < 1000; ++steps) {
      const assembly::Statement &x = woven.statements[s];
      if (!f_.pairing.is_inserted(s) && assembly::is_alignment(x)) return 0;
      bool jumps = f_.pairing.is_inserted(s) && x.name == "jmp";
      s = jumps ? f_.pairing.label(x.operands, s) : f_.pairing.next(s);
    }
    return t.padding;
  }

  // The runtime is told which counter came to its limit, and what it lacks.
  void ask(const Transition &t, const Effect &e, uint32_t about, int64_t last, const State &state) const {
    constexpr int kIndexBits = 4;
    int64_t index = e.index.number & ((1 << kIndexBits) - 1), lacking = e.index.number >> kIndexBits;
    if (index != last) fail(about, "a check speaks of another counter");
    unsigned kind = static_cast<unsigned>(index % CHORD_EVENT_KINDS);
    int64_t is = -state.ahead[kind] + (kind == CHORD_EVENT_INSTRUCTIONS ? padding_in_front(t, e.statement) : 0);
    if (kind != CHORD_EVENT_COST && lacking != is) {
      fail(about, fmt::format("a check says that {} events are lacking, which are {}", lacking, is));
    }
    uint32_t next = f_.pairing.next(e.statement);
    if (next == kNone || f_.pairing.woven().statements[next].name != e.symbol) fail(about, "a check does not tell where it stands");
  }

  void bracket(const Transition &t, const Effect &e, uint32_t about, State &state) const {
    auto index = static_cast<uint32_t>(e.index.number);
    bool opens = e.kind == Effect::Kind::opens;
    // In front of a call or return its own event has been counted.
    int64_t expected = opens == (index != 0) && t.to != kNone ? 1 : 0;
    bool marked = t.from != kNone && f_.program.instrs()[t.from].facts.entry_mark && opens && index == 0;
    bool right = state.ahead[0] == expected + padding_in_front(t, e.statement) || (marked && state.ahead[0] == -1);
    if ((kinds_ & 1) && !right) fail(about, "a bracket stands where the counter is not exact");
    if (opens) {
      state.open.push_back(index);
    } else if (state.open.empty() || state.open.back() != index) {
      fail(about, "a bracket is closed that is not open");
    } else {
      state.open.pop_back();
    }
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  uint32_t kinds_;
  bool measures_ = false;
  std::map<uint32_t, uint32_t> measured_;  // call -> number of its total
};

}  // namespace

void prove_events(const ProcedureFacts &f) {
  EventVisitor visitor(f);
  Propagation<State, EventVisitor>(f, visitor).run();
}

}  // namespace chord::verify
