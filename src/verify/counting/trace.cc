#include "verify/counting/trace.h"

#include <memory>

#include "core/sequences/trace_tokens.h"
#include "format/facts/call_marks.h"
#include "format/facts/late_tokens.h"
#include "format/facts/trace_encoding.h"
#include "format/facts/traced_calls.h"

namespace chord::verify {
namespace {

struct Token {
  int64_t bits = 0, value = 0;
  bool whole = false;  // is to be in one word with what is added to it
  bool operator==(const Token &) const = default;
};
constexpr Token kEntry{0, 0}, kReturned{1, 0};
bool is_entry(const Token &token) { return token.bits == 0 && token.value == 0; }
constexpr int64_t kMostBits = 62;  // of tokens that are due at once

// Tokens that were written before their edge is taken, or are still to be written.
struct State {
  std::vector<Token> ahead, lacking;
  bool operator==(const State &) const = default;
};

class TraceVisitor {
 public:
  explicit TraceVisitor(const ProcedureFacts &f) : f_(f), map_(f.graph.map()) {
    code_ = format::trace_code(map_);
    late_ = std::make_unique<format::LateTokens>(map_, code_, map_.plan.late);
    if (auto record = f.records.by_key.find(map_.key); record != f.records.by_key.end()) record_ = record->second.label;
    const std::vector<bool> traced = format::traced_calls(map_);
    for (uint32_t n = 0; n < traced.size(); ++n) {
      if (traced[n]) traced_.insert(f.graph.instruction(n));
    }
  }

  State start(uint32_t) { return {}; }
  void execute(uint32_t, State &) {}

  void take(const Transition &t, const EdgeChain *chain, const Machine *machine, State &state) const {
    uint32_t about = t.from != kNone ? t.from : t.to;
    if (t.kind == Transition::Kind::enters && map_.plan.called == kNone) expect(kEntry, state, about);
    if (t.kind == Transition::Kind::falls && traced_.contains(t.from)) expect_return(f_.graph.number_of(t.from), state, about);
    if (chain != nullptr) {
      for (uint32_t e : chain->edges) expect_on(e, state, about);
    }
    const uint32_t called = t.to != kNone ? f_.graph.number_of(t.to) : kNone;
    const uint32_t mark = called != kNone ? format::mark_left_by(map_, called) : 0;
    uint32_t left = 0;
    if (machine == nullptr && mark != 0) fail(about, "a call does not leave its mark");
    if (machine == nullptr) return;
    for (const Effect &e : machine->effects()) {
      if (e.kind == Effect::Kind::leaves_mark) left = static_cast<uint32_t>(e.index.number);
      if (e.kind == Effect::Kind::begins && !says_who_it_is(e)) fail(about, "the trace says that another procedure is entered");
      if (e.kind == Effect::Kind::begins) write(kEntry, state, about);
      if (e.kind == Effect::Kind::token) write({e.index.number, e.amount.number, e.whole && code_.paths}, state, about);
    }
    if (left != mark) fail(about, "a call does not leave its mark");
  }

  // A procedure that compares says so by its mark, or by its record once no mark is left.
  bool says_who_it_is(const Effect &e) const {
    const uint32_t mark = format::mark_of_entry(map_);
    if (e.symbol.empty()) return e.index.number == int64_t{mark};
    return e.symbol == record_ && e.whole == (mark != 0);
  }

  // At an instruction that lacks what the map says waits there, and no more; but that the procedure was entered lacks in front of the mark
  // that it begins with. What was written ahead, or is written only after a mark, a spot says.
  void arrive(Node node, State &state) const {
    if (node >> 32) return;
    uint32_t i = static_cast<uint32_t>(node), n = f_.graph.number_of(i);
    bool mark = f_.program.instrs()[i].facts.entry_mark && i == f_.program.functions()[f_.function].entry;
    const format::Spot *spot = n == kNone ? nullptr : f_.spots.at_instruction(n);
    const bool entry_stated = spot != nullptr && states_entry(*spot);
    const bool entry_lacks = !state.lacking.empty() && state.lacking.front() == kEntry;
    if (entry_lacks != entry_stated || (entry_lacks && !mark)) fail(i, "the trace lacks a token");
    if (entry_lacks) return;
    const core::TraceToken due = n == kNone ? core::TraceToken{} : spot != nullptr ? late_->in(*spot) : late_->at(n);
    if (!(together(state.lacking, i) == Token{due.bits, due.value})) fail(i, "the trace lacks a token");
    int64_t ahead = 0;
    if (spot != nullptr) {
      for (const format::Spot::Lack &l : spot->lacks) ahead += l.count < 0 ? -l.count : 0;
    }
    if (n != kNone && ahead != static_cast<int64_t>(state.ahead.size())) fail(i, "the trace is ahead of what the map says");
  }

  void leave(const Transition &t, const State &state) const {
    if (!state.ahead.empty() || !state.lacking.empty()) fail(t.from, "the trace is not what control did when it returns");
  }

  static bool agree(State &, const State &) { return false; }
  std::string difference(const State &, const State &) const { return "the trace is not written alike on all paths here"; }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }

  bool states_entry(const format::Spot &spot) const {
    for (const format::Spot::Lack &l : spot.lacks) {
      if (l.count > 0 && format::token_numbered(map_, l.counter).kind == format::TokenNumber::Kind::entry) return true;
    }
    return false;
  }

  // One token of all bits. Entries go with no others.
  Token together(const std::vector<Token> &tokens, uint32_t about) const {
    Token all;
    for (const Token &t : tokens) {
      if (is_entry(t) || all.bits + t.bits > kMostBits) fail(about, "the trace lacks a token");
      all = {all.bits + t.bits, all.value << t.bits | t.value};
    }
    return all;
  }

  // Room for the number of a path is made where it starts.
  void expect_room(const core::TraceToken &room, State &state, uint32_t about) const {
    if (room.bits != 0) expect({room.bits, room.value, true}, state, about);
  }

  void expect_on(uint32_t edge, State &state, uint32_t about) const {
    const core::TraceToken &token = code_.tokens[edge];
    if (token.bits != 0 || token.value != 0) expect({token.bits, token.value}, state, about);
    expect_room(code_.at_start(map_.edges[edge].to), state, about);
  }

  void expect_return(uint32_t call, State &state, uint32_t about) const {
    expect(kReturned, state, about);
    for (uint32_t b = 0; b < map_.blocks.size(); ++b) {
      if (code_.last_call[b] == call) expect_room({code_.reserved[b], 0}, state, about);
    }
  }

  void expect(const Token &token, State &state, uint32_t about) const {
    if (state.ahead.empty()) {
      state.lacking.push_back(token);
      return;
    }
    if (!(state.ahead.front() == token)) fail(about, "the trace gets another token");
    state.ahead.erase(state.ahead.begin());
  }

  // What is lacking comes in its order, as many tokens as there are bits.
  void write(Token token, State &state, uint32_t about) const {
    if (state.lacking.empty()) {
      state.ahead.push_back(token);
      return;
    }
    do {
      const Token next = state.lacking.empty() ? Token{} : state.lacking.front();
      const int64_t rest = token.bits - next.bits;
      const bool entry = is_entry(next);
      if (next.whole && !token.whole) fail(about, "the number of a path may be torn");
      if (state.lacking.empty() || rest < 0 || entry != is_entry(token) || token.value >> rest != next.value) fail(about, "the trace gets another token");
      state.lacking.erase(state.lacking.begin());
      token = {rest, token.value & ((int64_t{1} << rest) - 1), token.whole};
    } while (token.bits != 0);
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  format::TraceCode code_;
  std::unique_ptr<format::LateTokens> late_;
  std::set<uint32_t> traced_;             // calls after which there is a bit
  std::string_view record_;               // its own
};

}  // namespace

void prove_trace(const ProcedureFacts &f) {
  if (!format::can_be_replayed(f.graph.map())) throw Unproved{f.program.instrs()[f.program.functions()[f.function].entry].last, "paths cannot be told from what is written"};
  TraceVisitor visitor(f);
  Propagation<State, TraceVisitor>(f, visitor).run();
}

}  // namespace chord::verify
