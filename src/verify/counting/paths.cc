#include "verify/counting/paths.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <optional>

#include "core/paths/path_numbering.h"
#include "format/inputs/path_selection.h"
#include "verify/counting/chosen_paths.h"

namespace chord::verify {
namespace {

using Number = std::optional<int64_t>;

int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
Number plus(const Number &a, int64_t b) { return a ? Number(plus(*a, b)) : a; }
Number minus(const Number &a, const Number &b) { return a && b ? Number(plus(*a, -*b)) : Number(); }

struct State {
  Number offset;   // register = sum so far + this
  Number sum;      // the sum so far is this
  Number number;   // the register is this
  // A path has ended and is not counted yet: its number, and register = number + lag.
  bool pending = false;
  Number ended, lag;
  // The path was counted before its last edge: as sum so far + this, or as this number.
  bool counted = false;
  Number counted_at, counted_as;
  Number kept;  // … and that is what the register still holds, plus this
  // An edge has been taken on which something begins that is yet to be counted: the counter.
  uint32_t begun = kNone;
  bool operator==(const State &) const = default;
};

// By vertex of the procedure: what a path has come to there if that is the same on all paths, else nothing. The weaver need not
// clear the old number where it is known.
std::vector<Number> only_sums(const core::PathNumbering &n) {
  std::vector<Number> sums(n.dag.vertex_count());
  std::vector<bool> reached(sums.size(), false);
  std::vector<size_t> missing(sums.size());
  for (core::Vertex v = 0; v < missing.size(); ++v) missing[v] = v == n.start ? 0 : n.dag.in(v).size();
  sums[n.start] = 0;
  for (std::vector<core::Vertex> work{n.start}; !work.empty();) {
    core::Vertex from = work.back();
    work.pop_back();
    for (core::EdgeId e : n.dag.out(from)) {
      core::Vertex to = n.dag.edge(e).to;
      if (e == core::Graph::return_edge()) continue;
      Number here = plus(sums[from], static_cast<int64_t>(n.value[e]));
      sums[to] = !reached[to] || sums[to] == here ? here : Number();
      reached[to] = true;
      if (--missing[to] == 0) work.push_back(to);
    }
  }
  // Where something leads that no path comes from, nothing is claimed.
  for (size_t v = 0; v < sums.size(); ++v) {
    if (missing[v] != 0) sums[v] = {};
  }
  return sums;
}

class PathVisitor {
 public:
  PathVisitor(const ProcedureFacts &f, core::PathNumbering numbering)
      : f_(f), map_(f.graph.map()), n_(std::move(numbering)), only_sums_(only_sums(n_)) {
    find_holder();
    auto record = f.records.by_key.find(map_.key);
    if (record != f.records.by_key.end()) record_ = record->second;
  }

  State start(uint32_t vertex) {
    State state;
    core::EdgeId e = n_.start_edge[vertex];
    if (e != core::kNone) state.sum = static_cast<int64_t>(n_.value[e]);
    return state;
  }

  void execute(uint32_t i, State &state) const {
    if (holder_ < 16 && changes(f_.program.instrs()[i].facts, holder_)) state.offset = state.number = state.lag = state.kept = {};
  }

  void take(const Transition &t, const EdgeChain *chain, const Machine *machine, State &state) const {
    uint32_t about = t.from != kNone ? t.from : t.to;
    if (chain != nullptr) {
      for (uint32_t e : chain->edges) edge(about, e, state);
    }
    if (machine != nullptr) insert(about, *machine, state);
  }

  void arrive(Node node, State &state) const {
    if (!state.offset && !state.pending && state.sum) state.offset = minus(state.number, state.sum);
    if (!state.counted && !state.pending && state.offset) state.number = {};
    if (state.offset && !state.counted) state.sum = {};
    if (state.counted && state.counted_at) state.sum = state.counted_as = {};
    if (state.counted) state.offset = {};  // the next path starts anew
    if (state.pending && state.lag) state.ended = {};
    if (map_.plan.paths.in_records) recall(node, state);
    if (node >> 32) return;
    begins_as_stated(static_cast<uint32_t>(node), state);
    if (holder_ != kNone) as_stated(static_cast<uint32_t>(node), state);
  }

  void leave(const Transition &t, const State &state) const {
    if (state.pending || state.counted) fail(t.from, "a path is not counted when it returns");
    if (state.begun != kNone) fail(t.from, "a beginning is not counted");
  }

  // What number the register holds need not be known where its distance from the sum is, or where the path
  // has been counted: if it is the next one's already, both paths know it.
  static bool agree(State &a, const State &b) {
    State other = b;
    if (a.counted || (a.offset && a.offset == b.offset)) a.number = other.number = {};
    if (a.kept != b.kept) a.kept = other.kept = {};
    return a == other;
  }

  std::string difference(const State &, const State &) const { return "paths are not counted alike on all paths here"; }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }

  // What was given up so that paths agree, and is known of the block, or of the vertex of a table. Before a mark (endbr64) nothing can be inserted: what the
  // register holds there is known to those who fall into it, not to those who land there. (Within a block nobody does: compilers mark more calls than return twice.)
  void recall(Node node, State &state) const {
    const uint32_t at = static_cast<uint32_t>(node);
    const bool instruction = node >> 32 == 0;
    const uint32_t vertex = instruction ? f_.graph.block_of(at) : at;
    if (!only_sums_[vertex] || state.pending || state.counted) return;
    state.sum = only_sums_[vertex];
    if (instruction && f_.program.instrs()[at].facts.entry_mark && map_.blocks[vertex].first == f_.graph.number_of(at)) {
      state.offset = state.number = {};
    } else if (state.offset) {
      state.number = plus(state.offset, *state.sum);
    }
  }

  // Before a mark nothing can be counted, and the map says that it is not.
  void begins_as_stated(uint32_t i, const State &state) const {
    if (map_.plan.counters.empty()) return;
    const format::Spot *spot = f_.spots.at_instruction(f_.graph.number_of(i));
    const size_t lacks = spot != nullptr ? spot->lacks.size() : 0;
    if (state.begun == kNone && lacks == 0) return;
    const bool right = f_.program.instrs()[i].facts.entry_mark && lacks == 1 && spot->lacks[0].counter == state.begun && spot->lacks[0].count == 1;
    if (!right) fail(i, "a beginning is not counted");
  }

  // Before an instruction the path register is what the map says of an activation that stands there.
  void as_stated(uint32_t i, const State &state) const {
    const format::Spot *spot = f_.spots.at_instruction(f_.graph.number_of(i));
    // Once the path is counted, the jump that ends it is taken to have been executed; where an indirect one goes the map cannot say.
    const Facts &x = f_.program.instrs()[i].facts;
    if (state.counted && x.flow == Flow::jump && x.indirect) return;
    if (spot != nullptr && spot->instruction != f_.graph.number_of(i)) return;
    if (spot != nullptr && !spot->path.counts.empty()) return counted_as_stated(i, *spot, state);
    Number offset = state.offset, sum = state.sum;
    bool usual = !state.counted && !state.pending;
    // A jump to itself that has been counted stands where the next path starts.
    core::EdgeId start = n_.start_edge[f_.graph.block_of(i)];
    if (state.counted && f_.program.instrs()[i].target == i && start != core::kNone) {
      usual = true;
      sum = static_cast<int64_t>(n_.value[start]);
      offset = minus(state.number, sum);
    }
    if (spot != nullptr && spot->path.fixed) offset = minus(Number(static_cast<int64_t>(spot->path.sum)), sum);
    if (spot != nullptr && !spot->path.fixed) offset = plus(offset, static_cast<int64_t>(spot->path.sum));
    usual = usual && offset;
    if (!usual || *offset != -map_.plan.paths.partial[f_.graph.block_of(i)]) fail(i, "the path register is not what the map says");
  }

  // The path was counted ahead of the instruction: of an activation that stands there the map takes that back, by what the register holds.
  void counted_as_stated(uint32_t i, const format::Spot &spot, const State &state) const {
    const format::Spot::Path::Count &c = spot.path.counts[0];
    const auto number = static_cast<int64_t>(c.number), sum = static_cast<int64_t>(spot.path.sum);
    const Number kept = state.kept ? state.kept : minus(state.counted_as, state.number);
    const Number offset = minus(state.counted_at, state.kept);
    bool right = state.counted && spot.path.counts.size() == 1 && c.count == -1;
    right = right && (c.fixed ? !state.counted_as || *state.counted_as == number : kept && *kept == number);
    right = right && (spot.path.fixed || !offset || plus(*offset, sum) == -map_.plan.paths.partial[f_.graph.block_of(i)]);
    if (!right) fail(i, "the path register is not what the map says");
  }

  // The note at a fragment's end says where the number is; without one there is none. In records it is where the record is.
  void find_holder() {
    if (map_.plan.paths.in_records) {
      if (f_.flow.record_of().empty()) return;
      slot_ = f_.flow.record_in() == kNoRegister;
      holder_ = slot_ ? 16 : f_.flow.record_in();
      return;
    }
    const assembly::Source &woven = f_.pairing.woven();
    uint32_t label = f_.pairing.label(map_.fragments[0].name, 0);
    for (uint32_t s = label; s != kNone; s = f_.pairing.next(s)) {
      const assembly::Statement &x = woven.statements[s];
      if (x.name == ".cfi_endproc" || (x.name == ".size" && s != label)) break;
      if (!f_.pairing.is_inserted(s) || x.name != "nopl") continue;
      auto value = read_expression(x.operands.substr(0, x.operands.find('(')));
      int64_t where = value ? value->number - CHORD_PATH_NOTE : -1;
      if (where == CHORD_PATH_IN_FRAME) {
        slot_ = true;
        holder_ = 16;
      }
      for (unsigned r = 0; r < 16; ++r) {
        if (dwarf_number(r) == static_cast<uint64_t>(where)) holder_ = r;
      }
    }
  }

  void edge(uint32_t about, uint32_t e, State &state) const {
    begin(about, e, state);
    core::EdgeId dag = n_.dag_edge[e];
    if (dag == core::kNone) return;
    auto value = static_cast<int64_t>(n_.value[dag]);
    uint32_t to = map_.edges[e].to;
    if (state.pending) fail(about, "a path is not counted before the next begins");
    if (!n_.cut[e] && to != 1) {
      if (state.counted) fail(about, "a path is counted that goes on");
      state.offset = plus(state.offset, -value);
      state.sum = plus(state.sum, value);
      return;
    }
    if (state.counted) {
      bool right = state.counted_at ? *state.counted_at == value : state.counted_as && state.sum && *state.counted_as == plus(*state.sum, value);
      if (!right) fail(about, "a path is counted under another number");
    } else {
      state.pending = true;
      state.lag = plus(state.offset, -value);
      state.ended = plus(state.sum, value);
    }
    state.counted = false;
    state.counted_at = state.counted_as = state.kept = state.offset = state.sum = {};
    core::EdgeId start = to == 1 ? core::kNone : n_.start_edge[to];
    if (start == core::kNone) return;
    state.sum = static_cast<int64_t>(n_.value[start]);
    if (!state.pending) state.offset = minus(state.number, state.sum);
  }

  void begin(uint32_t about, uint32_t e, State &state) const {
    for (uint32_t k = 0; k < map_.plan.counters.size(); ++k) {
      if (map_.plan.counters[k].id != e) continue;
      if (state.begun != kNone) fail(about, "a beginning is not counted");
      state.begun = k;
    }
  }

  bool is_holder(const Machine &m, Atom atom) const {
    if (!slot_) return atom == holder_;
    const AtomMeaning *meaning = m.atoms().meaning(atom);
    return meaning != nullptr && meaning->kind == AtomMeaning::Kind::stack_word && meaning->key == -16;
  }

  // A value as the register before plus a number, or as a number.
  struct Relation {
    bool of_holder = false;
    int64_t number = 0;
  };
  std::optional<Relation> relate(const Machine &m, const Value &v) const {
    if (v.is_number()) return Relation{false, v.number};
    if (v.terms.size() == 1 && v.terms[0].second == 1 && is_holder(m, v.terms[0].first)) return Relation{true, v.number};
    return std::nullopt;
  }

  // Does it count a beginning? Its counters come after those of the paths.
  bool counts_beginning(uint32_t about, const Relation &r, State &state) const {
    Number index = r.of_holder ? plus(state.number, r.number) : Number(r.number);
    if (map_.plan.paths.by_number || !index || *index < static_cast<int64_t>(map_.plan.path_words())) return false;
    if (state.begun == kNone || *index != static_cast<int64_t>(map_.plan.path_words() + state.begun)) fail(about, "a beginning is counted that is none");
    state.begun = kNone;
    return true;
  }

  void insert(uint32_t about, const Machine &machine, State &state) const {
    // On this way the register was found to be a number.
    for (const auto &[atom, number] : machine.known()) {
      if (!is_holder(machine, atom) || map_.plan.paths.in_records) continue;
      if (state.pending) state.ended = minus(Number(number), state.lag);
      state.number = number;
    }
    for (const Effect &e : machine.effects()) {
      if (e.kind == Effect::Kind::count && e.symbol != "__chord_events") count(about, machine, e, state);
    }
    Value end = slot_ ? machine.stored(-16).value_or(Value{}) : holder_ < 16 ? machine.value(holder_) : Value{};
    if (holder_ == kNone || (slot_ && !machine.stored(-16))) return;
    std::optional<Value> held = map_.plan.paths.in_records ? machine.path_in_record(end) : end;
    std::optional<Relation> r = held ? relate(machine, *held) : std::nullopt;
    if (r && r->of_holder) {
      state.offset = plus(state.offset, r->number);
      state.number = plus(state.number, r->number);
      state.lag = plus(state.lag, r->number);
      state.kept = plus(state.kept, -r->number);
      return;
    }
    state.offset = state.lag = state.number = state.kept = {};
    if (!r) return;
    state.number = r->number;
    if (!state.counted) state.offset = minus(state.number, state.sum);
  }

  void count(uint32_t about, const Machine &machine, const Effect &e, State &state) const {
    if (!(e.amount == constant(1))) fail(about, "a path is counted by another amount");
    std::optional<Relation> r = relate(machine, number_of(about, machine, e));
    if (!r) fail(about, "a path is counted under a number that is not its own");
    if (counts_beginning(about, *r, state)) return;
    if (state.pending) {
      bool right = r->of_holder ? state.lag && plus(*state.lag, r->number) == 0 : state.ended && *state.ended == r->number;
      if (!right) fail(about, "a path is counted under another number");
      state.pending = false;
      state.ended = state.lag = {};
      return;
    }
    if (state.counted) fail(about, "a path is counted twice");
    state.counted = true;
    if (r->of_holder) {
      if (!state.offset && !(state.number && state.sum)) fail(about, "a path is counted that is not known");
      state.counted_at = plus(state.offset ? *state.offset : plus(*state.number, -*state.sum), r->number);
      state.kept = r->number;
    } else {
      state.counted_as = r->number;
      if (state.sum) state.counted_at = plus(r->number, -*state.sum);
      if (state.number && state.offset) state.counted_at = plus(plus(r->number, -*state.number), *state.offset);
    }
  }

  // The number that is counted: an index of the table, or what the slot stands for less 1.
  Value number_of(uint32_t about, const Machine &machine, const Effect &e) const {
    Value index = e.index;
    if (!map_.plan.paths.by_number) return index;
    const AtomMeaning *m = index.terms.size() == 1 && index.terms[0].second == 1 && index.number == 0 ? machine.atoms().meaning(index.terms[0].first) : nullptr;
    if (m == nullptr || m->kind != AtomMeaning::Kind::slot_of || m->name != record_.numbers) fail(about, "a path is counted in a slot that is not its own");
    return sum(m->of, constant(-1));
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  core::PathNumbering n_;
  std::vector<Number> only_sums_;
  Record record_;
  uint32_t holder_ = kNone;  // register; 16: a word of the frame
  bool slot_ = false;
};

}  // namespace

void prove_paths(const ProcedureFacts &f) {
  const format::Procedure &map = f.graph.map();
  std::string why_not;
  std::vector<bool> never;
  if (map.plan.paths.except_noise) never = format::never_edges(map);
  auto numbering = core::number_cut_paths(map.graph(), map.plan.paths.cuts, why_not, never);
  uint32_t entry = f.program.instrs()[f.program.functions()[f.function].entry].last;
  if (!numbering) throw Unproved{entry, "its paths cannot be numbered: " + why_not};
  if (numbering->paths != map.plan.paths.paths) throw Unproved{entry, "the map has another number of paths"};
  if (map.plan.placement == core::Placement::chosen_paths) return prove_chosen_paths(f, *numbering);
  PathVisitor visitor(f, std::move(*numbering));
  Propagation<State, PathVisitor>(f, visitor).run();
}

}  // namespace chord::verify
