#include "verify/x86_64_machine.h"

#include <chord_abi.h>

#include <algorithm>

namespace chord::verify {
namespace {

using Kind = Operand::Kind;
using Meaning = AtomMeaning::Kind;

constexpr int64_t kRedZone = 128;
// Where the stack pointer is not known, words below it have keys of their own.
constexpr int64_t kSomewhere = -(int64_t{1} << 40);

bool same_space(int64_t a, int64_t b) { return (a < kSomewhere / 2) == (b < kSomewhere / 2); }
bool is_own_word(int64_t key) { return key == -16 || key == -8; }

}  // namespace

Value Machine::value(Atom reg) const {
  auto found = registers_.find(reg);
  return found == registers_.end() ? atom_value(reg) : found->second;
}

int64_t Machine::start_key() const { return around_.stack_at.value_or(kSomewhere); }

std::optional<int64_t> Machine::stack_moved() const {
  Value v = value(kRsp);
  return v.is_atom_plus(kRsp) ? std::optional(v.number) : std::nullopt;
}

std::optional<int64_t> Machine::stack_key() const {
  std::optional<int64_t> moved = stack_moved();
  return moved ? std::optional(start_key() + *moved) : std::nullopt;
}

void Machine::forget_below(int64_t key) {
  auto gone = [&](int64_t k) { return same_space(k, key) && k < key; };
  std::erase_if(stack_, [&](const auto &w) { return gone(w.first); });
  std::erase_if(saved_flags_, [&](const auto &w) { return gone(w.first); });
  std::erase_if(pushed_, [&](const auto &w) { return gone(w.first); });
}

void Machine::set(Atom reg, Value v) {
  if (reg == kRax) {
    al_.reset();
    ah_.reset();
  }
  if (v.is_atom(reg)) {
    registers_.erase(reg);
  } else {
    registers_[reg] = std::move(v);
  }
  // Whatever lies below the stack pointer may be gone any time.
  if (reg == kRsp) {
    if (std::optional<int64_t> key = stack_key()) forget_below(*key);
  }
}

void Machine::spoil_flags(bool carry) {
  for (unsigned f = 0; f < kFlagCount; ++f) {
    if (f != kCarry || carry) flags_[f] = next_flag_++;
  }
}

bool Machine::keeps_lower_half(unsigned reg) const {
  Value v = value(reg);
  if (v.is_atom(reg)) return true;
  if (v.terms.size() != 1 || v.terms[0].second != 1) return false;
  const AtomMeaning *m = atoms_->meaning(v.terms[0].first);
  if (m == nullptr || m->kind != Meaning::low_half_of || !m->of.is_atom_plus(reg)) return false;
  return static_cast<uint32_t>(m->of.number + v.number) == 0;
}

// ---- memory ----

Value Machine::address_value(const Operand &m) {
  Value v = constant(m.value.number);
  if (!m.value.symbol.empty()) {
    Meaning kind = m.thread ? Meaning::thread_symbol : Meaning::symbol;
    v = sum(v, atom_value(atoms_->find(kind, m.value.symbol)));
  }
  if (m.base != kNoRegister) v = sum(v, value(m.base));
  if (m.index != kNoRegister) v = sum(v, times(value(m.index), m.scale));
  return v;
}

Machine::Address Machine::resolve(const Operand &m) {
  Address out;
  out.value = address_value(m);
  out.thread = m.thread;
  bool plain = m.value.minus.empty() && (m.value.relocation.empty() || (m.thread && m.value.relocation == "tpoff"));
  if (!plain || (m.value.symbol.empty() && m.rip) || (m.rip && m.index != kNoRegister)) return out;
  if (!m.thread && out.value.is_atom_plus(kRsp)) {
    out.kind = Address::Kind::stack;
    out.key = start_key() + out.value.number;
  } else if (!m.thread && out.value.is_atom_plus(kRbp) && around_.frame_at) {
    out.kind = Address::Kind::stack;
    out.key = *around_.frame_at + out.value.number;
  } else {
    for (const auto &[atom, factor] : out.value.terms) {
      const AtomMeaning *meaning = atoms_->meaning(atom);
      Meaning wanted = m.thread ? Meaning::thread_symbol : Meaning::symbol;
      bool names = meaning != nullptr && (meaning->kind == wanted || (m.thread && meaning->kind == Meaning::offset_word));
      if (names && factor == 1) out.kind = Address::Kind::counter;
    }
  }
  return out;
}

Value Machine::word(int64_t key) {
  auto found = stack_.find(key);
  return found != stack_.end() ? found->second : atom_value(atoms_->find(Meaning::stack_word, {}, key));
}

Value Machine::frame_word(int64_t at) { return word(at); }

std::optional<Value> Machine::stored(int64_t at) const {
  auto found = stack_.find(at);
  return found == stack_.end() ? std::nullopt : std::optional(found->second);
}

Value Machine::load(const Operand &m) {
  if (m.rip && m.value.relocation == "gottpoff" && m.value.number == 0) {
    return atom_value(atoms_->find(Meaning::offset_word, m.value.symbol));
  }
  Address at = resolve(m);
  if (m.thread && m.value.symbol.empty() && at.value == atom_value(atoms_->find(Meaning::offset_word, "__chord_delta"))) {
    return atom_value(atoms_->find(Meaning::delta, {}));
  }
  if (at.kind == Address::Kind::stack) return word(at.key);
  return atom_value(atoms_->fresh());
}

std::string Machine::store_word(int64_t key, const Value &v) {
  std::optional<int64_t> top = stack_key();
  if (!top) return "the stack pointer is lost";
  if (same_space(key, *top) && key < *top) return "a store below the stack pointer";
  bool own = around_.own_words && is_own_word(key);
  int64_t above = key - start_key();
  if (!own && !same_space(key, start_key())) return "a store to a word of the program";
  if (!own && above >= 0) return "a store to a word of the program";
  if (!own && above > -kRedZone - 8 && !around_.red_zone_dead) return "a store into the red zone";
  if (!own && above < 0) spoiled_ = {above, false};
  stack_[key] = v;
  saved_flags_.erase(key);
  pushed_.erase(key);
  return "";
}

// A word written in two halves, the lower one first.
std::string Machine::store_half(int64_t key, int64_t number) {
  auto part = static_cast<uint32_t>(number);
  if (key % 8 == 0) {
    lower_halves_[key] = part;
    return store_word(key, atom_value(atoms_->fresh()));
  }
  auto lower = lower_halves_.find(key - 4);
  if (key % 8 != 4 && key % 8 != -4) return "a store across words";
  if (lower == lower_halves_.end()) return "a store of half a word";
  return store_word(key - 4, constant(static_cast<int64_t>(uint64_t{part} << 32 | lower->second)));
}

std::string Machine::store(const Operand &m, const Value &v, unsigned bytes) {
  Address at = resolve(m);
  if (at.kind != Address::Kind::stack) return "a store to memory that is not its own";
  if (bytes == 8) return store_word(at.key, v);
  return v.is_number() ? store_half(at.key, v.number) : "a store of half a register";
}

// ---- counters ----

std::string Machine::count(const Operand &m, const Value &amount, bool locked, uint32_t statement) {
  Address at = resolve(m);
  if (at.kind == Address::Kind::stack) return store_word(at.key, sum(word(at.key), amount));
  if (at.kind != Address::Kind::counter) return "memory is changed that is no counter";
  Effect effect;
  effect.where = at.thread ? Effect::Where::thread : Effect::Where::shared;
  Value rest = constant(at.value.number);
  for (const auto &[atom, factor] : at.value.terms) {
    const AtomMeaning *meaning = atoms_->meaning(atom);
    bool names = meaning != nullptr && (meaning->kind == Meaning::thread_symbol || meaning->kind == Meaning::symbol ||
                                        meaning->kind == Meaning::offset_word);
    if (names && effect.symbol.empty()) {
      effect.symbol = meaning->name;
    } else if (meaning != nullptr && meaning->kind == Meaning::delta && factor == 1 && !at.thread) {
      effect.where = Effect::Where::delta;
    } else {
      if (factor % 8 != 0) return "a counter's index is not one of a word";
      rest = sum(rest, times(atom_value(atom), factor));
    }
  }
  if (rest.number % 8 != 0) return "an address between two counters";
  effect.index = constant(rest.number / 8);
  for (const auto &[atom, factor] : rest.terms) effect.index = sum(effect.index, times(atom_value(atom), factor / 8));
  effect.amount = amount;
  effect.locked = locked;
  effect.statement = statement;
  effects_.push_back(std::move(effect));
  return "";
}

Value Machine::source(const Operand &o) {
  switch (o.kind) {
    case Kind::constant: {
      if (o.value.symbol.empty()) return constant(o.value.number);
      Meaning kind = o.value.relocation == "tpoff" ? Meaning::thread_symbol : Meaning::symbol;
      return sum(atom_value(atoms_->find(kind, o.value.symbol)), constant(o.value.number));
    }
    case Kind::general: return value(o.reg);
    case Kind::vector: return value(low_half(o.reg));
    case Kind::memory: return load(o);
    default: return atom_value(atoms_->fresh());
  }
}

std::string Machine::arithmetic(const ProbeInstruction &p, uint32_t statement) {
  bool one = p.op == Op::increment || p.op == Op::decrement;
  if (p.operands.size() != (one ? 1 : 2)) return "a probe with odd operands";
  const Operand &into = p.operands.back();
  if (into.kind == Kind::byte) {  // addb $127,%al: overflows if it was 1
    if (p.op != Op::add || p.operands[0].kind != Kind::constant || p.operands[0].value.number != 127 || !p.operands[0].value.symbol.empty()) return "a byte is changed";
    std::optional<int> was = al_;
    auto kept = ah_;
    spoil_flags();
    if (was) flags_[kOverflow] = *was;
    set_fresh(kRax);
    ah_ = kept;
    return "";
  }
  if (!one && (p.operands[0].kind == Kind::memory || p.operands[0].kind == Kind::vector || p.operands[0].kind == Kind::half)) return "a probe that adds memory";
  Value amount = one ? constant(p.op == Op::increment ? 1 : -1) : source(p.operands[0]);
  if (p.op == Op::subtract) amount = times(amount, -1);
  std::string fault;
  if (into.kind == Kind::memory) {
    fault = count(into, amount, p.locked, statement);
  } else if (into.kind == Kind::general && !p.locked) {
    set(into.reg, sum(value(into.reg), amount));
  } else {
    fault = "a probe that changes half a register";
  }
  spoil_flags(!one);
  return fault;
}

// ---- the stack ----

std::string Machine::push(const Value &v) {
  set(kRsp, sum(value(kRsp), constant(-8)));
  std::optional<int64_t> key = stack_key();
  return key ? store_word(*key, v) : "the stack pointer is lost";
}

std::string Machine::pop(Value &out) {
  std::optional<int64_t> key = stack_key();
  if (!key) return "the stack pointer is lost";
  out = word(*key);
  set(kRsp, sum(value(kRsp), constant(8)));
  return "";
}

std::string Machine::call_bracket(std::string_view routine, Effect effect) {
  bool shared = routine.ends_with("_shared");
  std::optional<int64_t> key = stack_key();
  auto pushed = pushed_.find(*key);
  // The distance counts from the instruction that pushes it.
  if (pushed == pushed_.end() || pushed_at_ + 1 != executed_.size()) return "a bracket without its total";
  const Expression &total = pushed->second;
  bool right = shared ? total.relocation.empty() && total.minus == "." : total.relocation == "tpoff" && total.minus.empty();
  if (!right || total.number % 8 != 0) return "a bracket of another total";
  effect.kind = routine.starts_with("__chord_open") ? Effect::Kind::opens : Effect::Kind::closes;
  effect.where = shared ? Effect::Where::delta : Effect::Where::thread;
  effect.symbol = total.symbol;
  effect.index = constant(total.number / 8);
  effects_.push_back(std::move(effect));
  set(kRsp, sum(value(kRsp), constant(8)));
  return "";
}

// The number of events that the counter lacks stands above the place.
std::string Machine::call_budget(Effect effect) {
  int64_t key = *stack_key();
  auto place = pushed_.find(key);
  Value what = word(key + 8);
  if (place == pushed_.end() || !what.is_number() || place->second.number != 0) return "a check without its arguments";
  effect.kind = Effect::Kind::asks_budget;
  effect.index = what;
  effect.place = place->second.symbol;
  effect.symbol = place->second.minus;
  effects_.push_back(std::move(effect));
  return "";
}

std::string Machine::call_find_path() {
  int64_t key = *stack_key();
  Value numbers = word(key), number = word(key + 8);
  const AtomMeaning *array = numbers.terms.size() == 1 && numbers.number == 0 ? atoms_->meaning(numbers.terms[0].first) : nullptr;
  if (array == nullptr || array->kind != Meaning::symbol) return "a path is looked for in no array";
  return store_word(key + 8, atom_value(atoms_->find_of(Meaning::slot_of, number, array->name)));
}

std::string Machine::call(std::string_view routine, uint32_t statement) {
  std::optional<int64_t> key = stack_key();
  if (!key) return "the stack pointer is lost";
  if (*key - start_key() > -kRedZone && !around_.red_zone_dead) return "a call that overwrites the red zone";
  spoiled_ = {*key - start_key(), true};
  Effect effect;
  effect.statement = statement;
  std::string fault;
  if (routine == "__chord_open" || routine == "__chord_close" || routine == "__chord_open_shared" || routine == "__chord_close_shared") {
    fault = call_bracket(routine, effect);
  } else if (routine == "__chord_leap") {
    effect.kind = Effect::Kind::leaps;
    effect.amount = word(*key);
    effects_.push_back(std::move(effect));
    set(kRsp, sum(value(kRsp), constant(8)));
  } else if (routine == "__chord_budget") {
    fault = call_budget(effect);
  } else if (routine == "__chord_find_path") {
    fault = call_find_path();
  } else {
    fault = "a probe calls something unknown";
  }
  spoil_flags();
  return fault;
}

// ---- the rest ----

std::string Machine::move(const ProbeInstruction &p) {
  if (p.operands.size() != 2) return "a probe with odd operands";
  const Operand &from = p.operands[0], &into = p.operands[1];
  if (into.kind == Kind::memory) {
    if (from.kind == Kind::memory || from.kind == Kind::vector || from.kind == Kind::half) return "a store of something odd";
    return store(into, source(from), p.narrow ? 4 : 8);
  }
  if (p.narrow) {
    if (into.kind != Kind::half || from.kind != Kind::constant || !from.value.symbol.empty()) return "a probe that moves half a register";
    set(into.reg, constant(static_cast<int64_t>(static_cast<uint32_t>(from.value.number))));
    return "";
  }
  if (into.kind != Kind::general) return "a probe that moves something odd";
  if (from.kind == Kind::constant && !from.value.symbol.empty()) return "a probe that loads an address";
  set(into.reg, source(from));
  return "";
}

std::string Machine::compare(const ProbeInstruction &p) {
  if (p.operands.size() != 2 || p.operands[1].kind != Kind::memory) return "a probe that compares something odd";
  Address at = resolve(p.operands[1]);
  Value a = source(p.operands[0]);
  comparison_ = {};
  if (at.kind == Address::Kind::stack) {
    comparison_.b = word(at.key);
  } else {
    // numbers + 8 * likely slot of that very number
    comparison_.b = atom_value(atoms_->fresh());
    Value rest = at.value;
    std::string_view numbers;
    Atom likely = 0;
    for (const auto &[atom, factor] : rest.terms) {
      const AtomMeaning *m = atoms_->meaning(atom);
      if (m == nullptr) continue;
      if (m->kind == Meaning::symbol && factor == 1) numbers = m->name;
      if (m->kind == Meaning::likely_slot && factor == 8 && m->of == a) likely = atom;
    }
    if (at.thread || rest.terms.size() != 2 || rest.number != 0 || numbers.empty() || likely == 0) return "a number is looked for elsewhere";
    comparison_.likely = likely;
    comparison_.numbers = numbers;
  }
  comparison_.a = std::move(a);
  spoil_flags();
  comparison_.zero = flags_[kZero];
  return "";
}

void Machine::suppose_equal() {
  if (comparison_.zero != flags_[kZero]) return;
  if (comparison_.likely != 0) {
    const Value key = atoms_->meaning(comparison_.likely)->of;
    Value found = atom_value(atoms_->find_of(Meaning::slot_of, key, comparison_.numbers));
    for (auto &[reg, v] : registers_) {
      if (v.is_atom(comparison_.likely)) v = found;
    }
    return;
  }
  Value zero = difference(comparison_.b, comparison_.a);
  if (zero.terms.size() == 1 && zero.terms[0].second == 1) known_[zero.terms[0].first] = -zero.number;
}

// index = number * factor >> bits
std::string Machine::hash(const ProbeInstruction &p) {
  if (p.operands.size() != 2 || p.operands[1].kind != Kind::general) return "a probe with odd operands";
  unsigned into = p.operands[1].reg;
  Value was = value(into);
  set_fresh(into);
  spoil_flags();
  if (p.op == Op::multiply) {
    bool right = p.operands[0].kind == Kind::general && was == constant(static_cast<int64_t>(CHORD_PATH_FACTOR));
    if (!right) return "a probe that multiplies";
    set(into, atom_value(atoms_->make({Meaning::fresh, "product", 0, source(p.operands[0])})));
    return "";
  }
  const AtomMeaning *m = was.terms.size() == 1 && was.number == 0 ? atoms_->meaning(was.terms[0].first) : nullptr;
  bool right = m != nullptr && m->name == "product" && p.operands[0].kind == Kind::constant &&
               p.operands[0].value.number == 64 - CHORD_PATH_SLOT_BITS;
  if (!right) return "a probe that shifts";
  Value key = m->of;
  set(into, atom_value(atoms_->find_of(Meaning::likely_slot, key)));
  return "";
}

std::string Machine::flags(const ProbeInstruction &p) {
  auto kept_al = al_;
  auto kept_ah = ah_;
  switch (p.op) {
    case Op::flags_to_ah:
      kept_ah = flags_;
      break;
    case Op::set_overflow:
      kept_al = flags_[kOverflow];
      break;
    case Op::ah_to_flags:
      for (unsigned f = 0; f < kOverflow; ++f) flags_[f] = ah_ ? (*ah_)[f] : next_flag_++;
      return "";
    case Op::push_flags: {
      std::string fault = push(atom_value(atoms_->fresh()));
      if (fault.empty()) saved_flags_[*stack_key()] = flags_;
      return fault;
    }
    case Op::pop_flags: {
      auto saved = stack_key() ? saved_flags_.find(*stack_key()) : saved_flags_.end();
      if (saved == saved_flags_.end()) return "flags are popped that were not pushed";
      flags_ = saved->second;
      Value gone;
      return pop(gone);
    }
    default: return "";
  }
  set_fresh(kRax);
  al_ = kept_al;
  ah_ = kept_ah;
  return "";
}

std::string Machine::vectors(const ProbeInstruction &p) {
  auto reg = [&](size_t i) { return i < p.operands.size() && p.operands[i].kind == Kind::vector ? p.operands[i].reg : kNoRegister; };
  size_t last = p.operands.size() - 1;
  unsigned into = p.operands.empty() ? kNoRegister : reg(last);
  if (p.op == Op::vector_extract_high) {
    bool right = p.operands.size() == 3 && p.operands[0].value.number == 1 && reg(1) != kNoRegister && p.operands[2].kind == Kind::general;
    if (!right) return "a probe with odd operands";
    set(p.operands[2].reg, value(high_half(reg(1))));
    return "";
  }
  // Three operands: the middle one is what is changed.
  if (into == kNoRegister || p.operands.size() < 2 || p.operands.size() > 3 || (last == 2 && reg(1) != into)) return "a probe with odd operands";
  const Operand &from = p.operands[0];
  bool memory = from.kind == Kind::memory && from.rip && from.value.relocation.empty() && from.value.minus.empty();
  bool low = memory && from.value.symbol == ".Lchord_low", high = memory && from.value.symbol == ".Lchord_high";
  switch (p.op) {
    case Op::vector_clear:
    case Op::vector_ones: {
      if (reg(0) != into) return "a probe that changes a vector register";
      Value v = constant(p.op == Op::vector_clear ? 0 : -1);
      set(low_half(into), v);
      set(high_half(into), v);
      return "";
    }
    case Op::vector_subtract:
      if (unsigned r = reg(0); r != kNoRegister) {
        set(low_half(into), difference(value(low_half(into)), value(low_half(r))));
        set(high_half(into), difference(value(high_half(into)), value(high_half(r))));
        return "";
      }
      if ((!low && !high) || from.value.number != 0) return "a probe that subtracts something unknown";
      set(low ? low_half(into) : high_half(into), sum(value(low ? low_half(into) : high_half(into)), constant(1)));
      return "";
    case Op::vector_low:
      if (!low || from.value.number != 8) return "a probe that loads something unknown";
      set(low_half(into), constant(0));
      return "";
    case Op::vector_high_down:
      if (reg(0) != into || last != 1) return "a probe with odd operands";
      set(low_half(into), value(high_half(into)));
      return "";
    default: return "a probe with odd operands";
  }
}

std::string Machine::execute(const ProbeInstruction &p, uint32_t statement) {
  executed_.push_back(statement);
  spoiled_.reset();
  switch (p.op) {
    case Op::add:
    case Op::subtract:
    case Op::increment:
    case Op::decrement: return arithmetic(p, statement);
    case Op::address: {
      if (p.operands.size() != 2 || p.operands[0].kind != Kind::memory || p.operands[0].thread) return "a probe with odd operands";
      if (!p.operands[0].value.relocation.empty() || !p.operands[0].value.minus.empty()) return "a probe with an odd address";
      Value v = address_value(p.operands[0]);
      bool half = p.operands[1].kind == Kind::half;
      if (half) v = atom_value(atoms_->find_of(Meaning::low_half_of, v));
      set(p.operands[1].reg, std::move(v));
      return p.operands[1].kind == Kind::general || half ? "" : "a probe with odd operands";
    }
    case Op::move: return move(p);
    case Op::set_byte: {
      bool one = p.operands.size() == 2 && p.operands[0].kind == Kind::constant && p.operands[0].value.number == 1 &&
                 p.operands[0].value.symbol.empty() && p.operands[1].kind == Kind::memory && p.operands[1].rip;
      if (!one || p.locked) return "a byte is changed";
      std::string fault = count(p.operands[1], constant(1), false, statement);
      if (fault.empty()) effects_.back().sets = true;
      return fault;
    }
    case Op::push: {
      if (p.operands.size() != 1) return "a probe with odd operands";
      const Operand &o = p.operands[0];
      if (o.kind == Kind::half || o.kind == Kind::byte || o.kind == Kind::vector) return "a probe with odd operands";
      std::string fault = push(source(o));
      if (fault.empty() && o.kind == Kind::constant && !o.value.symbol.empty()) pushed_[*stack_key()] = o.value;
      pushed_at_ = executed_.size();
      return fault;
    }
    case Op::pop: {
      if (p.operands.size() != 1 || p.operands[0].kind != Kind::general || p.operands[0].reg == kRsp) return "a probe with odd operands";
      Value v;
      std::string fault = pop(v);
      if (fault.empty()) set(p.operands[0].reg, std::move(v));
      return fault;
    }
    case Op::push_flags:
    case Op::pop_flags:
    case Op::flags_to_ah:
    case Op::ah_to_flags:
    case Op::set_overflow: return flags(p);
    case Op::compare: return compare(p);
    case Op::multiply:
    case Op::shift_right: return hash(p);
    case Op::clear:
      if (p.operands.size() != 2 || p.operands[0].reg != p.operands[1].reg || p.operands[0].kind != Kind::half) return "a probe with odd operands";
      set(p.operands[1].reg, constant(0));
      spoil_flags();
      return "";
    case Op::call: return call(p.target, statement);
    case Op::jump:
    case Op::jump_zero:
    case Op::jump_other:
    case Op::jump_sign:
    case Op::nothing:
    case Op::entry_mark: return "";
    default: return vectors(p);
  }
}

}  // namespace chord::verify
