#include "verify/counting/trace.h"

#include "core/sequences/trace_tokens.h"
#include "format/facts/traced_calls.h"

namespace chord::verify {
namespace {

struct Token {
  int64_t bits = 0, value = 0;
  bool operator==(const Token &) const = default;
};
constexpr Token kEntry{0, 0}, kReturned{1, 0};

// Tokens that were written before their edge is taken, or are still to be written.
struct State {
  std::vector<Token> ahead, lacking;
  bool operator==(const State &) const = default;
};

class TraceVisitor {
 public:
  explicit TraceVisitor(const ProcedureFacts &f) : f_(f), map_(f.graph.map()) {
    std::vector<bool> never(map_.edges.size());
    for (uint32_t e : map_.plan.never) never[e] = true;
    tokens_ = core::trace_tokens(map_.graph(), never);
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
    if (t.kind == Transition::Kind::falls && traced_.contains(t.from)) expect(kReturned, state, about);
    if (chain != nullptr) {
      for (uint32_t e : chain->edges) {
        if (tokens_[e].bits != 0) expect({tokens_[e].bits, tokens_[e].value}, state, about);
      }
    }
    if (machine == nullptr) return;
    for (const Effect &e : machine->effects()) {
      if (e.kind == Effect::Kind::begins && !e.symbol.empty() && e.symbol != record_) fail(about, "the trace says that another procedure is entered");
      if (e.kind == Effect::Kind::begins) write(kEntry, state, about);
      if (e.kind == Effect::Kind::token) write({e.index.number, e.amount.number}, state, about);
    }
  }

  // Nothing is lacking before an instruction, but that the procedure was entered in front of the mark that it begins with. What
  // was written ahead the map says.
  void arrive(Node node, State &state) const {
    if (node >> 32) return;
    uint32_t i = static_cast<uint32_t>(node), n = f_.graph.number_of(i);
    bool mark = f_.program.instrs()[i].facts.entry_mark && i == f_.program.functions()[f_.function].entry;
    if (!state.lacking.empty() && !(mark && state.lacking == std::vector<Token>{kEntry})) fail(i, "the trace lacks a token");
    const format::Spot *spot = n == kNone ? nullptr : f_.spots.at_instruction(n);
    int64_t stated = 0;
    if (spot != nullptr) {
      for (const format::Spot::Lack &l : spot->lacks) stated += l.count;
    }
    if (n != kNone && stated != static_cast<int64_t>(state.lacking.size()) - static_cast<int64_t>(state.ahead.size())) fail(i, "the trace is ahead of what the map says");
  }

  void leave(const Transition &t, const State &state) const {
    if (!state.ahead.empty() || !state.lacking.empty()) fail(t.from, "the trace is not what control did when it returns");
  }

  static bool agree(State &, const State &) { return false; }
  std::string difference(const State &, const State &) const { return "the trace is not written alike on all ways here"; }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }

  void match(const Token &token, std::vector<Token> &others, std::vector<Token> &own, uint32_t about) const {
    if (others.empty()) {
      own.push_back(token);
      return;
    }
    if (!(others.front() == token)) fail(about, "the trace gets another token");
    others.erase(others.begin());
  }
  void expect(const Token &token, State &state, uint32_t about) const { match(token, state.ahead, state.lacking, about); }
  void write(const Token &token, State &state, uint32_t about) const { match(token, state.lacking, state.ahead, about); }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  std::vector<core::TraceToken> tokens_;  // by edge
  std::set<uint32_t> traced_;             // calls after which there is a bit
  std::string_view record_;               // its own
};

}  // namespace

void prove_trace(const ProcedureFacts &f) {
  TraceVisitor visitor(f);
  Propagation<State, TraceVisitor>(f, visitor).run();
}

}  // namespace chord::verify
