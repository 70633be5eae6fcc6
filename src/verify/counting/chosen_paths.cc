#include "verify/counting/chosen_paths.h"

#include <optional>

#include "verify/counting/steps_ahead.h"

namespace chord::verify {
namespace {

constexpr int64_t kLowerWord = -16;  // of those that a wider frame has
constexpr uint32_t kFrameWord = 16;  // in the place of a register

struct State {
  bool follows = false;                        // some chosen path begins like this
  int64_t sum = 0;                             // values so far, if it does
  std::optional<int64_t> number;               // what the path register holds
  std::optional<int64_t> counted, lacking;     // index: before its last edge; still to be counted
  bool harmless = false;                       // it is not known, but no chosen path is counted by it, whichever path is taken
  bool impossible = false;                     // nobody comes this way
  auto operator<=>(const State &) const = default;
};

class ChosenVisitor {
 public:
  static constexpr bool kStatesApart = true;

  ChosenVisitor(const ProcedureFacts &f, const core::PathNumbering &numbering) : f_(f), map_(f.graph.map()), n_(numbering) {
    auto record = f.records.by_key.find(map_.key);
    if (record != f.records.by_key.end()) numbers_ = record->second.numbers;
    find_holder();
    const core::PathPlan &plan = map_.plan.paths;
    if (plan.chosen.size() != plan.slots.size()) fail(kNone, "the map does not say where its chosen paths are counted");
    for (size_t k = 0; k < plan.chosen.size(); ++k) choose(plan.chosen[k], plan.slots[k]);
    if (holder_ == kNone) return;
    ahead_ = steps_ahead(f, [this](const Machine &m) { return use_of(m); },
                         [this](uint32_t i) { return holder_ < kFrameWord && changes(f_.program.instrs()[i].facts, holder_); });
  }

  State start(uint32_t vertex) {
    State state;
    begin(vertex, state);
    return state;
  }

  void execute(uint32_t i, State &state) const {
    if (holder_ < kFrameWord && changes(f_.program.instrs()[i].facts, holder_)) set(state, {});
  }

  void take(const Transition &t, const EdgeChain *chain, const Machine *machine, State &state) const {
    uint32_t about = t.from != kNone ? t.from : t.to;
    if (chain != nullptr) {
      for (uint32_t e : chain->edges) edge(about, e, state);
    }
    if (machine != nullptr) insert(about, *machine, state);
    // In front of a mark nothing is inserted, so what is due there comes after it.
    bool marked = t.to != kNone && f_.program.instrs()[t.to].facts.entry_mark;
    if (state.lacking && !marked && !state.impossible) fail(about, "a chosen path is not counted");
  }

  // One of the many numbers that lead to no chosen path is as good as another.
  void arrive(Node node, State &state) const {
    if (state.follows || state.counted || state.lacking || !state.number) return;
    auto steps = ahead_.find(node);
    if (steps == ahead_.end() || !steps->second.misses(slots_, *state.number)) return;
    state.number = {};
    state.harmless = true;
  }

  void leave(const Transition &t, const State &state) const {
    if (state.counted) fail(t.from, "a chosen path is counted that was not taken");
  }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const {
    if (i == kNone) i = f_.program.functions()[f_.function].entry;
    throw Unproved{f_.program.instrs()[i].last, std::move(what)};
  }

  void choose(uint64_t number, uint64_t slot) {
    if (number >= n_.paths) fail(kNone, "a chosen path that does not exist");
    if (!map_.plan.paths.by_number && slot >= map_.plan.paths.words) fail(kNone, "a chosen path is counted behind the last counter");
    bool first = slot_of_.emplace(static_cast<int64_t>(number), static_cast<int64_t>(slot)).second;
    if (!slots_.insert(static_cast<int64_t>(slot)).second || !first) fail(kNone, "two chosen paths have one counter");
    int64_t sum = 0;
    for (core::EdgeId e : core::regenerate_dag_path(n_, number)) {
      sum += static_cast<int64_t>(n_.value[e]);
      prefixes_.insert({n_.dag.edge(e).to, sum});
    }
  }

  static void set(State &state, std::optional<int64_t> number) {
    state.number = number;
    state.harmless = false;
  }

  RegisterUse use_of(const Machine &m) const {
    RegisterUse use;
    auto of_holder = [&](const Value &v) { return v.terms.size() == 1 && v.terms[0].second == 1 && is_holder(m, v.terms[0].first); };
    for (const auto &[atom, known] : m.known()) use.odd = use.odd || is_holder(m, atom);
    for (const Effect &e : m.effects()) {
      if (e.kind != Effect::Kind::count || e.symbol == "__chord_events") continue;
      Value v = counted_number(m, e.index);
      if (of_holder(v)) use.counted.push_back(static_cast<uint64_t>(v.number));
      else use.odd = true;
    }
    std::optional<Value> word = holder_ == kFrameWord ? m.stored(kLowerWord) : m.value(holder_);
    if (!word) use.moved = 0;
    else if (of_holder(*word)) use.moved = static_cast<uint64_t>(word->number);
    return use;
  }

  // The map has no note of it: it is what counts are found by.
  void find_holder() {
    for (const Transition &t : f_.flow.transitions()) {
      for (const Machine &m : t.ends) {
        for (const Effect &e : m.effects()) {
          if (e.kind == Effect::Kind::count) look_for_holder(m, e.index);
        }
      }
    }
  }

  void look_for_holder(const Machine &m, const Value &index) {
    for (const auto &[atom, factor] : index.terms) {
      uint32_t found = kNone;
      const AtomMeaning *meaning = m.atoms().meaning(atom);
      if (atom < kFrameWord) found = atom;
      if (meaning != nullptr && meaning->kind == AtomMeaning::Kind::stack_word && meaning->key == kLowerWord) found = kFrameWord;
      if (meaning != nullptr && meaning->kind == AtomMeaning::Kind::slot_of) {
        const Value of = meaning->of;
        look_for_holder(m, of);
      }
      if (found == kNone) continue;
      if (holder_ != kNone && holder_ != found) fail(kNone, "paths are counted by more than one register");
      holder_ = found;
    }
  }

  bool is_holder(const Machine &m, Atom atom) const {
    if (holder_ != kFrameWord) return atom == holder_;
    const AtomMeaning *meaning = m.atoms().meaning(atom);
    return meaning != nullptr && meaning->kind == AtomMeaning::Kind::stack_word && meaning->key == kLowerWord;
  }

  void begin(uint32_t vertex, State &state) const {
    state.follows = false;
    state.sum = 0;
    core::EdgeId e = n_.start_edge[vertex];
    if (e == core::kNone) return;
    auto value = static_cast<int64_t>(n_.value[e]);
    state.follows = prefixes_.contains({vertex, value});
    if (state.follows) state.sum = value;
  }

  void edge(uint32_t about, uint32_t e, State &state) const {
    core::EdgeId dag = n_.dag_edge[e];
    if (dag == core::kNone) return;
    if (state.lacking) fail(about, "a chosen path is not counted");
    uint32_t to = map_.edges[e].to;
    int64_t sum = state.sum + static_cast<int64_t>(n_.value[dag]);
    if (!n_.cut[e] && to != 1) {
      state.follows = state.follows && prefixes_.contains({to, sum});
      state.sum = state.follows ? sum : 0;
      return;
    }
    auto chosen = state.follows ? slot_of_.find(sum) : slot_of_.end();
    if (chosen == slot_of_.end()) {
      if (state.counted) fail(about, "a path is counted as one that was chosen");
    } else if (!state.counted) {
      state.lacking = chosen->second;
    } else if (*state.counted != chosen->second) {
      fail(about, "a chosen path is counted as another one");
    }
    state.counted = {};
    if (to == 1) {
      state.follows = false;
      state.sum = 0;
    } else {
      begin(to, state);
    }
  }

  // Nothing: it is not known.
  std::optional<int64_t> number(const Machine &m, const Value &v, const State &state) const {
    if (v.is_number()) return v.number;
    bool of_holder = v.terms.size() == 1 && v.terms[0].second == 1 && is_holder(m, v.terms[0].first);
    return of_holder && state.number ? std::optional(static_cast<int64_t>(static_cast<uint64_t>(*state.number) + static_cast<uint64_t>(v.number))) : std::nullopt;
  }

  void insert(uint32_t about, const Machine &m, State &state) const {
    for (const auto &[atom, known] : m.known()) {
      if (!is_holder(m, atom)) continue;
      if (state.number && *state.number != known) state.impossible = true;
      set(state, known);
    }
    if (state.impossible) return;
    for (const Effect &e : m.effects()) {
      if (e.kind == Effect::Kind::count && e.symbol != "__chord_events") count(about, m, e, state);
    }
    if (holder_ == kNone) return;
    std::optional<Value> word = holder_ == kFrameWord ? m.stored(kLowerWord) : m.value(holder_);
    if (!word) return;
    bool moved = word->terms.size() == 1 && word->terms[0].second == 1 && is_holder(m, word->terms[0].first);
    if (!(moved && state.harmless)) set(state, number(m, *word, state));
  }

  void count(uint32_t about, const Machine &m, const Effect &e, State &state) const {
    if (!(e.amount == constant(1))) fail(about, "a path is counted by another amount");
    std::optional<int64_t> at = number(m, counted_number(m, e.index), state);
    if (!at && state.harmless) return;
    if (!at) fail(about, "a path is counted under a number that is not known");
    if (!slots_.contains(*at)) return;
    if (state.lacking == at) {
      state.lacking = {};
    } else if (state.lacking || state.counted) {
      fail(about, "a path is counted as one that was chosen");
    } else {
      state.counted = at;
    }
  }

  // An index of the table, or what the slot stands for less 1.
  Value counted_number(const Machine &m, const Value &index) const {
    if (!map_.plan.paths.by_number) return index;
    const AtomMeaning *meaning = index.terms.size() == 1 && index.terms[0].second == 1 && index.number == 0 ? m.atoms().meaning(index.terms[0].first) : nullptr;
    if (meaning == nullptr || meaning->kind != AtomMeaning::Kind::slot_of || meaning->name != numbers_) return index;
    return sum(meaning->of, constant(-1));
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  const core::PathNumbering &n_;
  std::string_view numbers_;
  uint32_t holder_ = kNone;
  std::map<int64_t, int64_t> slot_of_;  // number of a chosen path -> index
  std::set<int64_t> slots_;
  std::map<Node, Steps> ahead_;
  std::set<std::pair<uint32_t, int64_t>> prefixes_;  // of chosen paths: vertex, sum
};

}  // namespace

void prove_chosen_paths(const ProcedureFacts &f, const core::PathNumbering &numbering) {
  ChosenVisitor visitor(f, numbering);
  Propagation<State, ChosenVisitor>(f, visitor).run();
}

}  // namespace chord::verify
