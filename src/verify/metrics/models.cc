#include "verify/metrics/models.h"

#include <algorithm>
#include <array>

#include "verify/claims/x86_64_probe.h"
#include "verify/metrics/model_code.h"
#include "verify/program/x86_64_accesses.h"

namespace chord::verify {
namespace {

using Look = Machine::Look;

// An access that a model was told of, and that is still to be made.
struct Told {
  uint32_t instruction = kNone;
  std::array<Value, 3> at;  // of repeated ones source, target and count; in terms of what registers hold now
  int64_t what = 0;         // bytes; of repeated ones also which of both are accessed
  bool repeated = false;
  bool lost = false;  // a register has changed that the address was made of
  bool operator==(const Told &) const = default;
};

struct State {
  std::vector<Told> told;
  uint32_t lacking = kNone;  // stretch of code in which control is, and that is still to be looked for
  uint32_t ahead = kNone;    // likewise the one that it comes to: it was looked for
  bool predicted = false;    // the branch that comes next
  bool operator==(const State &) const = default;
};

class ModelVisitor {
 public:
  explicit ModelVisitor(const ProcedureFacts &f) : f_(f), models_(f.records.models), sums_(f), code_(f, sums_) {
    for (const Transition &t : f.flow.transitions()) {
      for (const Machine &m : t.ends) {
        for (const Look &look : m.looks()) collect(t, look);
      }
    }
    code_.check();
  }

  State start(uint32_t) { return {}; }

  void execute(uint32_t i, State &state) const {
    const Facts &x = f_.program.instrs()[i].facts;
    if (models_.branch.bits != 0 && x.flow == Flow::conditional) {
      if (!state.predicted) fail(i, "the model of branches is not told of it");
      state.predicted = false;
    }
    if (x.flow == Flow::call && state.lacking != kNone) fail(i, "code that calls is not looked for before it does");
    if (models_.data.sets != 0) access(i, state);
  }

  void take(const Transition &t, const EdgeChain *, const Machine *machine, State &state) {
    if (machine != nullptr) {
      for (const Look &look : machine->looks()) ask(t, look, state);
      for (Told &told : state.told) carry(*machine, told);
    }
    if (models_.code.sets != 0) code_step(t, state);
  }

  void arrive(Node, State &) const {}

  void leave(const Transition &t, const State &state) const {
    if (!state.told.empty()) fail(t.from, "the model is told of an access that is not made");
  }

  static bool agree(State &, const State &) { return false; }
  std::string difference(const State &, const State &) const { return "models are not told alike on all paths here"; }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }
  static uint32_t about(const Transition &t) { return t.from != kNone ? t.from : t.to; }

  // What the runtime is told where the answer is not found in line: the same whichever path leads there.
  void collect(const Transition &t, const Look &look) {
    if (look.of == Look::Of::code) code_.collect(about(t), look);
    if (look.of == Look::Of::strings || !look.missed || look.other_code) return;
    if (look.requests.empty()) fail(about(t), "a model is not told of what is accessed");
    auto [at, first] = requests_.emplace(look.statement, look.requests);
    if (!first && !(at->second == look.requests)) fail(about(t), "a model is told different things");
    if (look.of == Look::Of::data) unless_[look.statement] = look.unless;
  }

  const std::vector<Look::Request> &requests(const Transition &t, const Look &look) const {
    auto found = requests_.find(look.statement);
    if (found == requests_.end()) fail(about(t), "a model is not told of what is accessed");
    return found->second;
  }

  void ask(const Transition &t, const Look &look, State &state) {
    switch (look.of) {
      case Look::Of::data: return ask_data(t, look, state);
      case Look::Of::strings: return ask_strings(t, look, state);
      case Look::Of::code: return ask_code(t, look, state);
      case Look::Of::branch: return ask_branch(t, look, state);
    }
  }

  // ---- data ----

  // The bytes that were compared are those of all accesses that the runtime would be told of.
  void ask_data(const Transition &t, const Look &look, State &state) const {
    const int64_t line = int64_t{1} << models_.data.line_bits;
    int64_t reaches = 0;
    for (const Look::Request &r : requests(t, look)) {
      Value plus = verify::difference(r.at, look.at[0]);
      if (!plus.is_number() || plus.number < 0 || !r.what.is_number()) fail(about(t), "a model is told of another place than was looked for");
      Told told;
      told.instruction = sums_.instruction(about(t), "sim:l1d", r.sum);
      told.at[0] = r.at;
      told.what = r.what.number & (CHORD_ACCESS_BYTES | CHORD_ACCESS_SOURCE | CHORD_ACCESS_TARGET);
      reaches = std::max(reaches, plus.number + std::min(told.what, line));
      state.told.push_back(std::move(told));
    }
    if (look.limit + reaches != line) fail(about(t), "what is accessed may be in two lines");
    check_unless(t, look, state.told);
  }

  // An instruction that linkers may change is looked at, its own opcode, and no other is.
  void check_unless(const Transition &t, const Look &look, const std::vector<Told> &told) const {
    const std::optional<Look::Unless> &unless = unless_.at(look.statement);
    uint32_t i = told.back().instruction;
    // The word that a call pushes is written whatever becomes of the load.
    Machine now(f_.flow.atoms(), {});
    bool changes = requests(t, look).size() == 1 && may_change(i) && told.back().at[0] == operand(i, now);
    if (changes != unless.has_value()) fail(i, "a linker may make another instruction of it, and the model would not know");
    if (!unless) return;
    uint32_t label = f_.pairing.label(unless->label, f_.pairing.woven_of(f_.program.instrs()[i].last));
    std::string_view bytes = f_.program.bytes(i);
    uint32_t at = accesses_of(bytes).opcode_at;
    bool right = t.to == i && marks(label, i) && unless->at == int64_t{at} && unless->byte == static_cast<unsigned char>(bytes[at]);
    if (!right) fail(i, "another byte is looked at than the one that a linker may have changed");
  }

  // The label stands right in front of the instruction.
  bool marks(uint32_t label, uint32_t i) const {
    for (uint32_t s = label; s != kNone; s = f_.pairing.next(s)) {
      const assembly::Statement &x = f_.pairing.woven().statements[s];
      if (x.kind != assembly::StatementKind::instruction) continue;
      return !f_.pairing.is_inserted(s) && f_.pairing.original_of(s) == f_.program.instrs()[i].first;
    }
    return false;
  }

  const assembly::Statement &woven(uint32_t i) const { return f_.pairing.woven().statements[f_.pairing.woven_of(f_.program.instrs()[i].last)]; }

  static bool is_thread_offset(std::string_view relocation) { return relocation == "gottpoff" || relocation == "GOTTPOFF"; }
  bool may_change(uint32_t i) const {
    std::optional<Operand> o = memory_operand(woven(i));
    return o && (o->value.relocation == "GOTPCREL" || o->value.relocation == "gotpcrel" || is_thread_offset(o->value.relocation));
  }

  void ask_strings(const Transition &t, const Look &look, State &state) const {
    const Look::Request &r = look.requests.front();
    if (!r.what.is_number()) fail(about(t), "a model is told of something that is not known");
    Told told;
    told.instruction = sums_.instruction(about(t), "sim:l1d", r.sum);
    told.at = look.at;
    told.what = r.what.number & (CHORD_ACCESS_BYTES | CHORD_ACCESS_SOURCE | CHORD_ACCESS_TARGET);
    told.repeated = true;
    forget_unused(told);
    state.told.push_back(std::move(told));
  }

  // The register of a string that is not accessed may hold anything.
  static void forget_unused(Told &told) {
    if (!(told.what & CHORD_ACCESS_SOURCE)) told.at[0] = {};
    if (!(told.what & CHORD_ACCESS_TARGET)) told.at[1] = {};
  }

  // In terms of what registers hold after inserted code, which has changed some of them by a number.
  void carry(const Machine &machine, Told &told) const {
    for (const auto &[reg, now] : machine.changed()) move(told, reg, now.is_atom_plus(reg) ? std::optional(now.number) : std::nullopt);
  }

  static void move(Told &told, Atom reg, std::optional<int64_t> by) {
    for (Value &v : told.at) {
      int64_t factor = v.factor(reg);
      if (factor == 0) continue;
      told.lost = told.lost || !by;
      v = sum(v, constant(-factor * by.value_or(0)));
    }
  }

  void access(uint32_t i, State &state) const {
    const Accesses all = accesses_of(f_.program.bytes(i));
    if (!all.known) fail(i, "accesses that are not known to the proof");
    if (all.repeated) {
      make(i, state, repeated(i, all));
    } else {
      for (const Access &a : all.list) make(i, state, expected(i, a));
    }
    const Facts &x = f_.program.instrs()[i].facts;
    if ((x.flow == Flow::call || x.unknown) && !state.told.empty()) fail(i, "the model is told of accesses before those that a call makes");
    for (Told &told : state.told) step(x, told);
  }

  void make(uint32_t i, State &state, const Told &expected) const {
    if (state.told.empty()) fail(i, "the model of a cache is not told of its access");
    if (state.told.front().instruction != i) fail(i, "the model of a cache is told of accesses in another order");
    if (state.told.front().what != expected.what || !(state.told.front() == expected)) fail(i, "the model of a cache is told of another access than it makes");
    state.told.erase(state.told.begin());
  }

  Told expected(uint32_t i, const Access &a) const {
    Machine now(f_.flow.atoms(), {});
    auto at = [&](unsigned reg, int64_t plus) { return sum(now.value(reg), constant(plus)); };
    Told out;
    out.instruction = i;
    out.what = std::min<int64_t>(a.bytes, CHORD_ACCESS_BYTES);
    switch (a.place) {
      case Access::Place::operand: out.at[0] = operand(i, now); break;
      case Access::Place::pushed: out.at[0] = at(kStackPointer, -int64_t{a.bytes}); break;
      case Access::Place::popped: out.at[0] = at(kStackPointer, 0); break;
      case Access::Place::frame: out.at[0] = at(kFramePointer, 0); break;
      case Access::Place::source: out.at[0] = at(kStringRegisters[0], 0); break;
      case Access::Place::target: out.at[0] = at(kStringRegisters[1], 0); break;
    }
    return out;
  }

  Told repeated(uint32_t i, const Accesses &all) const {
    Machine now(f_.flow.atoms(), {});
    Told out;
    out.instruction = i;
    out.repeated = true;
    out.what = all.list[0].bytes;
    for (const Access &a : all.list) out.what |= a.place == Access::Place::source ? CHORD_ACCESS_SOURCE : CHORD_ACCESS_TARGET;
    for (size_t k = 0; k < 3; ++k) out.at[k] = now.value(kStringRegisters[k]);
    forget_unused(out);
    return out;
  }

  // As it is woven: in a wider frame operands have moved, which is proved elsewhere. But where the runtime stands in for a
  // function, the word that is modelled is that of the function which the program calls.
  Value operand(uint32_t i, Machine &now) const {
    const Instr &in = f_.program.instrs()[i];
    std::optional<Operand> o = memory_operand(in.facts.memory.code_relative ? f_.program.source().statements[in.last] : woven(i));
    if (o && is_thread_offset(o->value.relocation)) {
      // What the linker has put into it is read: an offset from its end, which is six bytes after its opcode.
      const int64_t opcode = accesses_of(f_.program.bytes(i)).opcode_at;
      uint32_t s = f_.pairing.woven_of(f_.program.instrs()[i].first);
      std::string_view mark = mark_before(s);
      Value word = atom_value(f_.flow.atoms().find(AtomMeaning::Kind::code_word, mark, opcode + 2));
      return sum(sum(word, atom_value(f_.flow.atoms().find(AtomMeaning::Kind::symbol, mark))), constant(opcode + 6));
    }
    std::optional<Value> at = o ? now.effective_address(*o) : std::nullopt;
    if (!at) fail(i, "an operand that the proof does not read");
    return *at;
  }

  std::string_view mark_before(uint32_t s) const {
    const auto &all = f_.pairing.woven().statements;
    for (uint32_t k = s; k > 0 && all[k - 1].kind != assembly::StatementKind::instruction; --k) {
      if (all[k - 1].kind == assembly::StatementKind::label && all[k - 1].name.starts_with(".Lchord_m")) return all[k - 1].name;
    }
    return {};
  }

  // What the instruction makes of registers.
  static void step(const Facts &x, Told &told) {
    for (unsigned r = 0; r < 16; ++r) {
      if (!(x.writes & general(r))) continue;
      std::optional<int64_t> by;
      if (x.sum.into == r && x.sum.from == r && !x.sum.half) by = x.sum.plus;
      if (x.stack_move != 0 && r == kStackPointer && x.popped != r) by = x.stack_move;
      move(told, r, by);
    }
  }

  // ---- code ----

  void ask_code(const Transition &t, const Look &look, State &state) const {
    uint32_t stretch = code_.stretch_of_look(about(t), look);
    if (state.lacking == stretch) {
      state.lacking = kNone;
    } else if (t.to != kNone && code_.begins(t.to) == stretch && state.ahead == kNone) {
      state.ahead = stretch;
    } else {
      fail(about(t), "code is looked for where control is not");
    }
  }

  void code_step(const Transition &t, State &state) const {
    uint32_t begins = t.to == kNone ? kNone : code_.begins(t.to);
    if (t.to != kNone && begins == kNone) {
      if (state.ahead != kNone) fail(t.to, "code is looked for where control is not");
      return;
    }
    if (state.lacking != kNone) fail(about(t), "code is not looked for");
    if (t.to == kNone || state.ahead == begins) state.ahead = kNone;
    else state.lacking = begins;
  }

  // ---- branches ----

  void ask_branch(const Transition &t, const Look &look, State &state) {
    const Look::Request &r = requests(t, look).front();
    uint32_t i = sums_.instruction(about(t), "sim:branch", r.sum);
    if (i != t.to || state.predicted || requests(t, look).size() != 1) fail(about(t), "the model of branches is told of another one");
    const Value outcome = atom_value(f_.flow.atoms().find(AtomMeaning::Kind::condition, condition_of(f_.program.bytes(i))));
    if (!(look.at[1] == outcome) || !(r.at == outcome)) fail(i, "the model of branches is told that it does something else");
    if (!(r.what == look.at[0])) fail(i, "the model of branches is told of another counter than was looked at");
    if (!look.missed && models_.branch.history_bits != 0 && !look.remembered) fail(i, "the history of branches lacks it");
    code_.check_counter(i, look.at[0]);
    state.predicted = true;
  }

  const ProcedureFacts &f_;
  const chord_models &models_;
  SumsOfInstructions sums_;
  ModelledCode code_;
  std::map<uint32_t, std::vector<Look::Request>> requests_;  // by statement that asks
  std::map<uint32_t, std::optional<Look::Unless>> unless_;
};

}  // namespace

void prove_models(const ProcedureFacts &f) {
  const chord_models &models = f.records.models;
  bool any = models.data.sets != 0 || models.code.sets != 0 || models.branch.bits != 0;
  for (const Transition &t : f.flow.transitions()) {
    for (const Machine &m : t.ends) any = any || !m.looks().empty();
  }
  if (!any) return;
  ModelVisitor visitor(f);
  Propagation<State, ModelVisitor>(f, visitor).run();
}

}  // namespace chord::verify
