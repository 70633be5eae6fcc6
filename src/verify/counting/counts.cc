#include "verify/counting/counts.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>

#include "format/facts/measured_calls.h"
#include "verify/evidence/differences.h"
#include "verify/evidence/liveness.h"

namespace chord::verify {

using format::VertexKind;

namespace {

[[noreturn]] void fail(const ProcedureFacts &f, uint32_t instruction, std::string what) {
  if (instruction == kNone) instruction = f.program.functions()[f.function].entry;
  throw Unproved{f.program.instrs()[instruction].last, std::move(what)};
}

// The register that a number in the map stands for (abi/chord_abi.h).
Atom atom_recorded(uint8_t place) {
  if (place >= CHORD_FIRST_HIGH_HALF) return high_half(place - CHORD_FIRST_HIGH_HALF);
  if (place >= CHORD_FIRST_VECTOR) return low_half(place - CHORD_FIRST_VECTOR);
  for (unsigned r = 0; r < 16; ++r) {
    if (dwarf_number(r) == place) return r;
  }
  return kNone;
}

// One counter at one place: memory, with what the register holds if it is attached, is ahead of the plan.
struct Ahead {
  int64_t by = 0;
  bool attached = false;
  bool counts_down = false;  // attached, and the whole register was made 1 to 2^32
  bool operator==(const Ahead &) const = default;
  bool is_usual() const { return by == 0 && !attached; }
};
using State = std::map<uint32_t, Ahead>;  // counters that are not as planned

class CountVisitor {
 public:
  explicit CountVisitor(const ProcedureFacts &f) : f_(f), map_(f.graph.map()) {
    for (uint32_t k = 0; k < map_.plan.counters.size(); ++k) {
      const core::Counter &c = map_.plan.counters[k];
      if (c.site == core::Site::edge) on_edge_[c.id].push_back(k);
      if (c.site == core::Site::vertex) at_vertex_[c.id].push_back({k, 1});
      if (c.site == core::Site::sum) {
        for (const core::CounterSum::Term &t : map_.plan.sums[c.id].terms) at_vertex_[t.vertex].push_back({k, t.times});
      }
    }
    for (uint32_t n = 0; n < map_.held.size(); ++n) {
      const format::Held &h = map_.held[n];
      held_[h.counter] = &h;
      held_number_[h.counter] = n;
      blocks_[h.counter].insert(h.blocks.begin(), h.blocks.end());
    }
    auto record = f.records.by_key.find(map_.key);
    if (record != f.records.by_key.end()) symbol_ = record->second.counters;
  }

  State start(uint32_t) { return {}; }

  void execute(uint32_t i, State &state) {
    const Facts &x = f_.program.instrs()[i].facts;
    for (auto &[k, ahead] : state) {
      if (!ahead.attached) continue;
      Atom reg = atom_recorded(held_.at(k)->place);
      if (!changes(x, reg)) continue;
      if (reg >= 16) fail(f_, i, "a counter is held in a register that the program changes");
      ahead.by = plus(ahead.by, own_step(i, reg, ahead));
    }
    std::erase_if(state, [](const auto &s) { return s.second.is_usual(); });
  }

  void take(const Transition &t, const EdgeChain *chain, const Machine *machine, State &state) {
    if (machine != nullptr || !held_.empty()) {
      const Known known = t.from == kNone ? Known{} : f_.constants.behind(t.from);
      State before = state;
      if (machine != nullptr) insert(t, *machine, known, state);
      if (machine != nullptr) stated_in_between(t, chain, *machine, known, before);
      if (t.to != kNone) attach(t.to, machine == nullptr ? known : known_at_end(known, *machine), state);
    }
    if (chain != nullptr) plan(*chain, state);
    std::erase_if(state, [](const auto &s) { return s.second.is_usual(); });
  }

  // Before each instruction everything on the way to it has been counted, and nothing else; or the map says what has not.
  void arrive(Node node, State &state) const {
    if (node >> 32) return;
    uint32_t i = static_cast<uint32_t>(node), n = f_.graph.number_of(i);
    if (n == kNone) return;
    std::map<uint32_t, int64_t> by;
    for (const auto &[k, ahead] : state) {
      if (!ahead.attached) by[k] = ahead.by;
      if (ahead.attached && !leads_into_loop(k, f_.graph.block_of(i))) fail(f_, i, fmt::format("counter {} is in a register where its loop was left", k));
    }
    as_stated(i, f_.spots.at_instruction(n), by);
    held_as_stated(i, f_.spots.at_instruction(n), state);
  }

  void leave(const Transition &t, const State &state) {
    if (!state.empty()) fail(f_, t.from, fmt::format("counter {} is not what the plan says when it returns", state.begin()->first));
  }

  static bool agree(State &, const State &) { return false; }

  std::string difference(const State &a, const State &b) const {
    uint32_t k = kNone;
    for (const auto &[n, ahead] : a) {
      auto other = b.find(n);
      if (other == b.end() || !(other->second == ahead)) k = n;
    }
    for (const auto &[n, ahead] : b) {
      if (!a.contains(n)) k = n;
    }
    return fmt::format("counter {} is not counted alike on all paths here", k);
  }

 private:
  // The block is one of those that hold the counter, or nothing but such a one follows it: what is done on entering may stand before its jump.
  bool leads_into_loop(uint32_t k, uint32_t block) const {
    const std::set<uint32_t> &loop = blocks_.at(k);
    if (loop.contains(block)) return true;
    bool any = false;
    for (const format::Edge &e : map_.edges) {
      if (e.from == block && !loop.contains(e.to)) return false;
      any = any || e.from == block;
    }
    return any;
  }

  // What counters in memory are ahead by is what the map says of an activation that stands there.
  void as_stated(uint32_t i, const format::Spot *spot, std::map<uint32_t, int64_t> &by) const {
    if (spot != nullptr) {
      for (const format::Spot::Lack &l : spot->lacks) {
        if (!held_.contains(l.counter)) by[l.counter] = plus(by[l.counter], l.count);
      }
    }
    for (const auto &[k, ahead] : by) {
      if (ahead != 0) fail(f_, i, fmt::format("counter {} is ahead of what the map says by {}", k, ahead));
    }
  }

  // ---- counters in registers ----

  // Is the register taken for a part of the counter, of an activation that stands before the instruction?
  bool is_said_held(uint32_t k, const format::Spot *spot, uint32_t i) const {
    if (spot != nullptr) return std::find(spot->held.begin(), spot->held.end(), held_number_.at(k)) != spot->held.end();
    return i != kNone && f_.graph.number_of(i) != kNone && blocks_.at(k).contains(f_.graph.block_of(i));
  }

  // What memory, and the register, are taken to lack there.
  int64_t said_lacking(uint32_t k, const format::Spot *spot, uint32_t i) const {
    int64_t lacks = 0;
    for (const format::Spot::Lack &l : spot != nullptr ? spot->lacks : std::vector<format::Spot::Lack>()) lacks = plus(lacks, l.counter == k ? l.count : 0);
    return i == kNone || f_.graph.number_of(i) == kNone ? lacks : plus(lacks, still_to_come(*held_.at(k), i));
  }

  // The program's own step for a count that is supposed to be made.
  int64_t still_to_come(const format::Held &h, uint32_t i) const {
    const uint32_t block = f_.graph.block_of(i), n = f_.graph.number_of(i);
    if (std::find(h.due.begin(), h.due.end(), block) == h.due.end()) return 0;
    const uint32_t first = map_.blocks[block].first;
    if (std::any_of(h.updates.begin(), h.updates.end(), [&](uint32_t u) { return u >= first && u < n; })) return 0;
    const core::Counter &c = map_.plan.counters[h.counter];
    return c.site == core::Site::sum ? map_.plan.sums[c.id].times_at(core::Vertex(block)) : h.step;
  }

  // Likewise memory and the register that holds a counter together.
  void held_as_stated(uint32_t i, const format::Spot *spot, const State &state) const {
    for (const auto &[k, h] : held_) {
      auto found = state.find(k);
      const Ahead ahead = found == state.end() ? Ahead{} : found->second;
      if (is_said_held(k, spot, i) != ahead.attached) fail(f_, i, fmt::format("counter {} is in a register, or not, where the map says otherwise", k));
      int64_t by = plus(ahead.by, said_lacking(k, spot, i));
      if (ahead.attached && by != 0) fail(f_, i, fmt::format("counter {}, in a register, is ahead of what the map says by {}", k, by));
    }
  }

  // What is known of one on the way through inserted code: what memory has got, and what its register holds.
  struct OnTheWay {
    Ahead start;  // the way's own counts taken off
    Value added, holds;
  };
  using HeldOnTheWay = std::map<uint32_t, OnTheWay>;

  HeldOnTheWay start_of_way(const State &due) const {
    HeldOnTheWay out;
    for (const auto &[k, h] : held_) {
      auto found = due.find(k);
      out[k] = {found == due.end() ? Ahead{} : found->second, {}, atom_value(atom_recorded(h->place))};
    }
    return out;
  }

  void held_in_between(uint32_t about, uint32_t to, const format::Spot *spot, const HeldOnTheWay &way, const Known &known) const {
    for (const auto &[k, at] : way) {
      Value v = at.added;
      if (at.start.attached) v = verify::difference(v, atom_value(atom_recorded(held_.at(k)->place)));
      if (is_said_held(k, spot, to)) v = sum(v, at.holds);
      v = with_known(v, known);
      v.number = plus(v.number, plus(at.start.by, said_lacking(k, spot, to)));
      if (!(v == constant(0))) fail(f_, about, fmt::format("a probe leaves counter {}, which a register holds, other than the map says", k));
    }
  }

  // The same between inserted instructions.
  void stated_in_between(const Transition &t, const EdgeChain *chain, const Machine &machine, const Known &known, const State &before) {
    std::map<uint32_t, int64_t> by;
    State due = before;
    if (chain != nullptr) plan(*chain, due);
    for (const auto &[k, ahead] : due) {
      if (!held_.contains(k)) by[k] = ahead.by;
    }
    HeldOnTheWay held = start_of_way(due);
    uint32_t about = t.from == kNone ? t.to : t.from, next = t.to == kNone ? kNone : f_.graph.number_of(t.to);
    size_t e = 0, change = 0, step = 0;
    bool asking = false;  // for a budget, out of line: what is asked says where the activation stands
    for (uint32_t s : machine.executed()) {
      ++step;
      if (asking) {
        asking = !is_jump(s);
        while (e < machine.effects().size() && machine.effects()[e].statement == s) ++e;
        continue;
      }
      asking = asks_out_of_line(machine, s);
      const format::Spot *spot = f_.spots.in_force(s);
      if (spot != nullptr && spot->instruction != next) fail(f_, about, "the map says that a probe leads elsewhere");
      std::map<uint32_t, int64_t> now = by;
      as_stated(about, spot, now);
      held_in_between(about, t.to, spot, held, known);
      for (; e < machine.effects().size() && machine.effects()[e].statement == s; ++e) {
        const Effect &effect = machine.effects()[e];
        if (effect.kind != Effect::Kind::count || effect.symbol != symbol_) continue;
        Value index = with_known(with_known(effect.index, known), machine.known());
        auto k = static_cast<uint32_t>(index.number);
        if (auto on = held.find(k); on != held.end())
          on->second.added = sum(on->second.added, effect.amount);
        else
          by[k] = plus(by[k], with_known(effect.amount, known).number);
      }
      for (; change < machine.changes().size() && machine.changes()[change].step == step; ++change) {
        for (auto &[k, at] : held) {
          if (atom_recorded(held_.at(k)->place) == machine.changes()[change].reg) at.holds = machine.changes()[change].value;
        }
      }
    }
  }

  bool is_jump(uint32_t s) const {
    auto probe = read_probe(f_.pairing.woven().statements[s]);
    return probe && probe->op == Op::jump;
  }

  // The conditional jump to where a budget is asked for, on the way that takes it.
  bool asks_out_of_line(const Machine &machine, uint32_t s) const {
    auto probe = read_probe(f_.pairing.woven().statements[s]);
    const std::vector<Effect> &effects = machine.effects();
    bool asks = std::any_of(effects.begin(), effects.end(), [](const Effect &e) { return e.kind == Effect::Kind::asks_budget; });
    if (!asks || !probe || probe->op != Op::jump_sign) return false;
    uint32_t there = f_.pairing.label(probe->target, s);
    while (there != kNone && f_.pairing.woven().statements[there].kind != assembly::StatementKind::instruction) there = f_.pairing.next(there);
    const std::vector<uint32_t> &all = machine.executed();
    auto at = std::find(all.begin(), all.end(), s);
    return at + 1 < all.end() && *(at + 1) == there;
  }

  // In its loop a counter is in its register, and where the map says so. Where that is a constant it may be in memory as well.
  void attach(uint32_t to, const Known &known, State &state) {
    uint32_t block = f_.graph.block_of(to), n = f_.graph.number_of(to);
    const format::Spot *spot = n == kNone ? nullptr : f_.spots.at_instruction(n);
    for (const auto &[k, h] : held_) {
      auto now = state.find(k);
      bool attached = now != state.end() && now->second.attached;
      if (attached || !(blocks_.at(k).contains(block) || is_said_held(k, spot, to))) continue;
      auto number = known.find(atom_recorded(h->place));
      if (number == known.end()) fail(f_, to, "a loop is entered without its counter");
      Ahead &ahead = state[k];
      ahead.attached = true;
      ahead.by = plus(ahead.by, number->second);
    }
  }

  static int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

  // What an instruction of the program adds to the register that holds a counter.
  int64_t own_step(uint32_t i, unsigned reg, const Ahead &ahead) const {
    bool widened = f_.widened_steps.contains(i);
    if (std::optional<int64_t> step = step_of(f_.program, i, reg, widened)) return *step;
    const Facts &x = f_.program.instrs()[i].facts;
    bool down = x.sum.into == reg && x.sum.from == reg && x.sum.half && x.sum.plus == -1;
    if (down && ahead.counts_down && leaves_at_zero(i)) return -1;
    fail(f_, i, "the register that holds a counter is changed in another way");
  }

  // The step's block ends in a jump on its result, and zero leads out of the loop.
  bool leaves_at_zero(uint32_t i) const {
    const uint32_t block = f_.graph.block_of(i);
    uint32_t k = i;
    const auto &instrs = f_.program.instrs();
    if (!(instrs[i].facts.kills & flag(kZero))) return false;
    while (instrs[k].facts.flow == Flow::next && instrs[k].next != kNone && f_.graph.block_of(instrs[k].next) == block) {
      k = instrs[k].next;
      if (instrs[k].facts.writes & flag(kZero)) return false;
    }
    const Facts &jump = instrs[k].facts;
    if (!jump.on_zero && !jump.on_other) return false;
    uint32_t at_zero = jump.on_zero ? instrs[k].target : instrs[k].next;
    if (at_zero == kNone) return false;
    for (const auto &[counter, h] : held_) {
      bool here = std::find(h->updates.begin(), h->updates.end(), f_.graph.number_of(i)) != h->updates.end();
      if (here && blocks_.at(counter).contains(f_.graph.block_of(at_zero))) return false;
    }
    return true;
  }

  void insert(const Transition &t, const Machine &machine, const Known &known, State &state) {
    std::map<uint32_t, Value> added;
    for (const Effect &e : machine.effects()) {
      if (e.kind != Effect::Kind::count || e.symbol != symbol_) continue;
      Value index = with_known(with_known(e.index, known), machine.known());
      if (!index.is_number() || index.number < 0 || index.number >= static_cast<int64_t>(map_.plan.counters.size())) fail(f_, t.from == kNone ? t.to : t.from, "a probe changes a counter that the plan does not have");
      Value &sum_of = added[static_cast<uint32_t>(index.number)];
      sum_of = sum(sum_of, with_known(e.amount, known));
    }
    for (auto &[k, amount] : added) {
      if (!held_.contains(k)) state[k].by = plus(state[k].by, number(t, amount));
    }
    for (const auto &[k, h] : held_) {
      auto amount = added.find(k);
      hold(t, k, atom_recorded(h->place), amount == added.end() ? Value{} : amount->second, machine, known, state);
    }
  }

  int64_t number(const Transition &t, const Value &v) const {
    if (!v.is_number()) fail(f_, t.from == kNone ? t.to : t.from, "a probe adds something unknown to a counter");
    return v.number;
  }

  // Memory goes up by `added`; the register that may hold the counter becomes what the machine says.
  void hold(const Transition &t, uint32_t k, Atom reg, Value added, const Machine &machine, const Known &known, State &state) {
    uint32_t about = t.from == kNone ? t.to : t.from;
    auto found = state.find(k);
    Ahead now = found == state.end() ? Ahead{} : found->second;
    Value end = with_known(machine.value(reg), known);
    // memory + what is attached, in terms of the register before
    Value total = sum(added, now.attached ? times(with_known(atom_value(reg), known), -1) : Value{});
    total.number = plus(total.number, now.by);
    if (total.is_number()) {
      state[k] = {total.number, false, false};
      return;
    }
    Value with = sum(total, end);
    if (!with.is_number()) fail(f_, about, fmt::format("counter {} is lost where a loop is entered or left", k));
    bool ranged = now.attached ? now.counts_down && end.is_atom(reg) : counts_down(machine, end);
    state[k] = {with.number, true, ranged};
  }

  // The whole register became its lower half minus 1, plus 1.
  static bool counts_down(const Machine &machine, const Value &v) {
    if (v.terms.size() != 1 || v.terms[0].second != 1 || v.number != 1) return false;
    const AtomMeaning *m = machine.atoms().meaning(v.terms[0].first);
    return m != nullptr && m->kind == AtomMeaning::Kind::low_half_of;
  }

  void plan(const EdgeChain &chain, State &state) {
    for (uint32_t e : chain.edges) {
      if (auto on = on_edge_.find(e); on != on_edge_.end()) {
        for (uint32_t k : on->second) expect(k, 1, state);
      }
      if (auto at = at_vertex_.find(map_.edges[e].to); at != at_vertex_.end()) {
        for (const auto &[k, many] : at->second) expect(k, many, state);
      }
    }
  }

  void expect(uint32_t k, int64_t many, State &state) {
    auto held = held_.find(k);
    int64_t step = held == held_.end() ? 1 : held->second->step;
    state[k].by = plus(state[k].by, -many * step);
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  std::map<uint32_t, std::vector<uint32_t>> on_edge_;
  std::map<uint32_t, std::vector<std::pair<uint32_t, int64_t>>> at_vertex_;
  std::map<uint32_t, const format::Held *> held_;
  std::map<uint32_t, uint32_t> held_number_;
  std::map<uint32_t, std::set<uint32_t>> blocks_;
  std::string_view symbol_;
};

}  // namespace

void prove_counts(const ProcedureFacts &f) {
  CountVisitor visitor(f);
  Propagation<State, CountVisitor>(f, visitor).run();
}

bool is_place_of(const Record &r, const Effect &e) {
  if (r.kind == CHORD_COUNTERS_THREAD) return e.where == Effect::Where::thread;
  if (r.kind == CHORD_COUNTERS_DELTA) return e.where == Effect::Where::delta;
  if (r.kind == CHORD_COUNTERS_RECORD) return e.where == Effect::Where::record;
  return e.where == Effect::Where::shared;
}

void prove_places(const ProcedureFacts &f) {
  const format::Procedure &map = f.graph.map();
  static const Record kNothing;
  auto found = f.records.by_key.find(map.key);
  bool counts = map.plan.placement != core::Placement::trace;
  if (counts && found == f.records.by_key.end()) fail(f, kNone, "its counters have no record");
  const Record *record = found == f.records.by_key.end() ? &kNothing : &found->second;
  auto totals = f.records.by_key.find(format::totals_key(map));
  bool by_number = map.plan.paths.by_number;
  uint64_t words = by_number ? CHORD_PATH_SLOTS + 1 : map.plan.words();
  if (map.metrics_in_records) words += map.metric_words();
  if (record->count != words) fail(f, kNone, "its record has another number of counters than the plan");
  if (by_number == record->numbers.empty()) fail(f, kNone, "its record does not tell what its counters stand for");
  auto right_place = [&](const Record &r, const Effect &e) {
    return e.sets == (r.kind == CHORD_COUNTERS_FLAGS) && is_place_of(r, e);
  };
  for (const Transition &t : f.flow.transitions()) {
    uint32_t about = t.from != kNone ? t.from : t.to;
    for (const Machine &m : t.ends) {
      for (const Effect &e : m.effects()) {
        bool brackets = e.kind == Effect::Kind::opens || e.kind == Effect::Kind::closes;
        if (brackets) {
          bool right = totals != f.records.by_key.end() && e.symbol == totals->second.counters && right_place(totals->second, e) &&
                       e.index.number >= 0 && e.index.number < totals->second.count;
          if (!right) fail(f, about, "a bracket of a total that is not its own");
        }
        if (e.kind != Effect::Kind::count) continue;
        if (e.symbol == "__chord_events") {
          bool right = e.where == Effect::Where::thread && e.index.is_number() && e.index.number >= 0 && e.index.number < CHORD_EVENT_BIAS;
          if (!right || !e.amount.is_number()) fail(f, about, "a probe changes no counter of events");
        } else if (e.symbol != record->counters || !right_place(*record, e)) {
          fail(f, about, "a probe changes memory that is no counter of the procedure");
        } else if (e.locked != f.atomic) {
          fail(f, about, f.atomic ? "a counter of all threads is changed without a lock" : "a lock that nobody asked for");
        }
      }
    }
  }
}

}  // namespace chord::verify
