#include "verify/flow/x86_64_machine.h"

#include <chord_abi.h>

#include <algorithm>

#include "verify/claims/context_procs.h"

namespace chord::verify {
namespace {

using Kind = Operand::Kind;
using Meaning = AtomMeaning::Kind;

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
  changes_.push_back({executed_.size(), reg, v});
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

// What it is the lower half of.
std::optional<Value> Machine::lower_half(const Value &v) const {
  const AtomMeaning *m = v.terms.size() == 1 && v.is_atom(v.terms[0].first) ? atoms_->meaning(v.terms[0].first) : nullptr;
  return m != nullptr && m->kind == Meaning::low_half_of ? std::optional(m->of) : std::nullopt;
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
  if (p.op == Op::subtract && p.operands[1].kind == Kind::half) return subtract_start(p);
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
  if (!one && (p.operands[0].kind == Kind::vector || p.operands[0].kind == Kind::half)) return "a probe that adds something odd";
  if (!one && p.operands[0].kind == Kind::memory) {
    if (into.kind != Kind::general) return "a probe that adds memory";
    if (std::string fault = can_load(p.operands[0]); !fault.empty()) return fault;
  }
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
  if (into.kind == Kind::memory) {
    sign_ = Sign::counter;
    sign_flag_ = flags_[kSign];
  }
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

std::string Machine::pop_into(const Operand &o) {
  bool memory = o.kind == Kind::memory;
  if (!memory && (o.kind != Kind::general || o.reg == kRsp)) return "a probe with odd operands";
  Value v;
  if (std::string fault = pop(v); !fault.empty()) return fault;
  if (memory) return store(o, v, 8);
  set(o.reg, std::move(v));
  return "";
}

// ---- the rest ----

std::string Machine::move(const ProbeInstruction &p) {
  if (p.operands.size() != 2) return "a probe with odd operands";
  const Operand &from = p.operands[0], &into = p.operands[1];
  if (into.kind == Kind::memory && p.narrow && from.kind == Kind::half) {
    // The history of a branch predictor.
    Address at = resolve(into);
    bool history = at.kind == Address::Kind::own && at.value.terms.size() == 1 && at.value.number == 0 && atoms_->is(at.value.terms[0].first, Meaning::loaded, "predictor");
    return history ? remember(from.reg) : "a store of something odd";
  }
  if (into.kind == Kind::memory) {
    if (from.kind == Kind::memory || from.kind == Kind::vector || from.kind == Kind::half) return "a store of something odd";
    return store(into, source(from), p.narrow ? 4 : 8);
  }
  if (p.narrow) {
    bool number = from.kind == Kind::constant && from.value.symbol.empty();
    if (into.kind == Kind::half && from.kind == Kind::memory) {
      Address at = resolve(from);
      if (at.kind != Address::Kind::own || own_word(from, at.value) != "model") return "a probe reads memory that is not its own";
      const bool is_history = at.value == atom_value(atoms_->find(Meaning::loaded, "predictor"));
      set(into.reg, is_history ? history() : atom_value(atoms_->fresh()));
      return "";
    }
    if (std::optional<Value> distance = from.kind == Kind::constant ? distance_of(from.value) : std::nullopt; distance && into.kind == Kind::half) {
      set(into.reg, std::move(*distance));
      return "";
    }
    if (into.kind != Kind::half || (!number && from.kind != Kind::half)) return "a probe that moves half a register";
    if (!number) {
      set(into.reg, atom_value(atoms_->find_of(Meaning::low_half_of, value(from.reg))));
      return "";
    }
    set(into.reg, constant(static_cast<int64_t>(static_cast<uint32_t>(from.value.number))));
    return "";
  }
  if (into.kind != Kind::general) return "a probe that moves something odd";
  if (from.kind == Kind::constant && !from.value.symbol.empty()) return "a probe that loads an address";
  if (from.kind == Kind::memory) {
    if (std::string fault = can_load(from); !fault.empty()) return fault;
  }
  set(into.reg, source(from));
  return "";
}

// Is the record the one of a procedure? By a number of its own, or its address.
std::string Machine::compare_record(const ProbeInstruction &p, const Value &address) {
  std::string_view name;
  if (p.operands[0].kind == Kind::constant) {
    if (p.operands[0].value.relocation == "tpoff" && p.operands[0].value.number == 0 && address.number == 0) name = p.operands[0].value.symbol;
  } else if (address.number == 8) {
    name = symbol_of(source(p.operands[0]));
  }
  if (around_.contexts == nullptr || !around_.contexts->names.contains(name)) return "a record is compared with something odd";
  spoil_flags();
  comparison_ = {};
  comparison_.candidate = address.terms[0].first;
  comparison_.procedure = around_.contexts->names.at(name);
  comparison_.zero = flags_[kZero];
  return "";
}

std::string Machine::compare(const ProbeInstruction &p) {
  if (p.operands.size() != 2) return "a probe with odd operands";
  const Operand &with = p.operands[1];
  if (p.operands[0].kind == Kind::memory && is_address_word(p.operands[0], 8)) {
    const bool right = with.kind == Kind::general && place_ && place_written_ && value(with.reg) == *place_ && !p.narrow;
    comparison_ = {};
    spoil_flags();
    comparison_.addresses = right;
    comparison_.carry = flags_[kCarry];
    return right ? "" : "a probe that compares something odd";
  }
  bool number = p.operands[0].kind == Kind::constant && p.operands[0].value.symbol.empty();
  Address at = with.kind == Kind::memory ? resolve(with) : Address{};
  // Of these nothing is known, whichever path is taken.
  bool lone = with.kind == Kind::memory && with.code_relative && !with.value.symbol.empty() && with.value.relocation.empty() && with.value.minus.empty();
  if (number && (lone || (with.kind == Kind::general && !p.narrow))) {
    comparison_ = {};
    spoil_flags();
    if (with.kind == Kind::general && looked_at_ && value(with.reg) == difference(*looked_at_, looked_line_)) {
      comparison_.line = looked_at_;
      comparison_.limit = p.operands[0].value.number;
      comparison_.carry = flags_[kCarry];
    }
    // On a path on which the instruction has become another one the runtime is told nothing.
    if (lone && p.narrow && owed_ == Owed::reference) comparison_.unless = Look::Unless{with.value.symbol, with.value.number, p.operands[0].value.number};
    if (comparison_.unless) comparison_.zero = flags_[kZero];
    if (!lone || p.narrow || p.operands[0].value.number != 0 || with.value.number != 0) return "";
    comparison_.asked = with.value.symbol;
    comparison_.zero = flags_[kZero];
    return "";
  }
  if (number && at.kind == Address::Kind::trace && at.key == 4 && p.narrow) {
    spoil_flags();
    comparison_ = {};
    for (unsigned bits = 1; bits <= kMostTokenBits; ++bits) {
      if (p.operands[0].value.number == int64_t{1} << (31 - bits)) comparison_.room = bits;
    }
    comparison_.carry = flags_[kCarry];
    return "";
  }
  if (number && at.kind == Address::Kind::expected && p.narrow) {
    spoil_flags();
    comparison_ = {};
    comparison_.mark = p.operands[0].value.number;
    comparison_.zero = flags_[kZero];
    return "";
  }
  if (with.kind == Kind::memory && at.kind == Address::Kind::own && own_word(with, at.value) == "model" && (number || p.operands[0].kind == Kind::byte)) {
    return compare_with_model(p, at.value);
  }
  if (with.kind != Kind::memory || p.narrow) return "a probe that compares something odd";
  if (at.value.terms.size() == 1 && atoms_->is(at.value.terms[0].first, Meaning::loaded, "site.record")) return compare_record(p, at.value);
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

void Machine::replace(Atom atom, const Value &by) {
  auto put = [&](Value &v) {
    if (int64_t factor = v.factor(atom); factor != 0) v = sum(sum(v, times(atom_value(atom), -factor)), times(by, factor));
  };
  for (auto &[reg, v] : registers_) put(v);
  for (auto &[key, v] : stack_) put(v);
}

void Machine::suppose_equal() {
  if (comparison_.zero != flags_[kZero]) return;
  if (comparison_.candidate != 0) return replace(comparison_.candidate, atom_value(atoms_->find(Meaning::record, comparison_.procedure)));
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

std::string Machine::branch(Op jump, bool taken) {
  if (jump == Op::jump_zero ? taken : jump == Op::jump_other && !taken) suppose_equal();
  bool by_zero = jump == Op::jump_zero || jump == Op::jump_other;
  if (by_zero && !comparison_.asked.empty() && comparison_.zero == flags_[kZero]) {
    Effect asks;
    asks.kind = Effect::Kind::asks_target;
    asks.symbol = comparison_.asked;
    asks.amount = constant((jump == Op::jump_zero) != taken);
    asks.statement = executed_.back();
    effects_.push_back(std::move(asks));
  }
  if (by_zero && comparison_.mark && comparison_.zero == flags_[kZero]) {
    Effect begins;
    begins.kind = Effect::Kind::begins;
    begins.index = constant(*comparison_.mark);
    begins.statement = executed_.back();
    comparison_ = {};
    if ((jump == Op::jump_zero) == taken)
      effects_.push_back(std::move(begins));
    else
      owed_ = Owed::announce;
  }
  if (jump == Op::jump_sign) {
    if (sign_flag_ != flags_[kSign] || sign_ == Sign::nothing) return "a jump on a sign that tells nothing";
    if (sign_ == Sign::trace) trace_unchecked_ = false;
    if (taken) owed_ = sign_ == Sign::trace ? Owed::flush : Owed::budget;
  }
  if (std::string fault = branch_on_model(jump, taken); !fault.empty()) return fault;
  if (jump == Op::jump_not_below && comparison_.addresses && comparison_.carry == flags_[kCarry]) {
    place_compared_ = true;
    if (taken) owed_ = Owed::addresses;
    comparison_ = {};
  } else if (jump == Op::jump_not_below) {
    if (comparison_.carry != flags_[kCarry] || comparison_.room == 0) return "a jump on a comparison that tells nothing";
    if (taken) owed_ = Owed::split;
    if (!taken) trace_room_ = comparison_.room;
  }
  return "";
}

std::string Machine::unfinished() const {
  if (owed_ == Owed::budget) return "the runtime is not asked when a budget is used up";
  if (owed_ == Owed::reference || owed_ == Owed::fetch || owed_ == Owed::prediction || looked_at_) return "a model is not told of what is accessed";
  if (owed_ == Owed::addresses || (place_ && (!place_written_ || !place_compared_))) return "an address is not written, or without asking for room";
  if (owed_ != Owed::nothing || trace_unchecked_) return "a word of the trace may be full";
  return "";
}

// By one or a number: the word of the trace; by a number: a register.
std::string Machine::shift_left(const ProbeInstruction &p, uint32_t statement) {
  const bool by_one = p.operands.size() == 1;
  const bool by_number = p.operands.size() == 2 && p.operands[0].kind == Kind::constant && p.operands[0].value.symbol.empty();
  if ((by_one || by_number) && p.operands.back().kind == Kind::memory) {
    const int64_t bits = by_one ? 1 : p.operands[0].value.number;
    if (bits < 1 || bits > kMostTokenBits) return "a probe that shifts";
    if (resolve(p.operands.back()).kind != Address::Kind::trace) return "memory is changed that is no counter";
    std::string fault = can_load(p.operands.back());
    if (fault.empty()) fault = write_trace(times(load(p.operands.back()), int64_t{1} << bits), statement);
    spoil_flags();
    sign_ = by_one ? Sign::trace : Sign::nothing;
    sign_flag_ = flags_[kSign];
    return fault;
  }
  bool right = p.operands.size() == 2 && p.operands[0].kind == Kind::constant && p.operands[0].value.symbol.empty() && p.operands[1].kind == Kind::general;
  int64_t by = right ? p.operands[0].value.number : 0;
  if (!right || by < 1 || by > kMostTokenBits || p.operands[1].reg == kRsp) return "a probe that shifts";
  set(p.operands[1].reg, times(value(p.operands[1].reg), int64_t{1} << by));
  spoil_flags();
  return "";
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
  bool memory = from.kind == Kind::memory && from.code_relative && from.value.relocation.empty() && from.value.minus.empty();
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
      if (p.operands.size() != 2) return "a probe with odd operands";
      const Operand &m = p.operands[0];
      bool half = p.operands[1].kind == Kind::half;
      bool known = m.kind == Kind::memory && !m.thread && m.value.relocation.empty() && m.value.minus.empty();
      if (!known && (half || p.operands[1].reg == kRsp)) return "a probe with an odd address";
      std::optional<Value> other = known || m.thread ? std::nullopt : effective_address(m);
      Value v = known ? address_value(m) : other ? *other : atom_value(atoms_->fresh());
      // A record's number and a small one fit into half a register.
      if (half && (v.number < 0 || v.number > INT32_MAX || entered_record(v, v.number).empty())) v = atom_value(atoms_->find_of(Meaning::low_half_of, v));
      set(p.operands[1].reg, std::move(v));
      return p.operands[1].kind == Kind::general || half ? "" : "a probe with odd operands";
    }
    case Op::move: return move(p);
    case Op::set_byte: {
      bool one = p.operands.size() == 2 && p.operands[0].kind == Kind::constant && p.operands[0].value.number == 1 &&
                 p.operands[0].value.symbol.empty() && p.operands[1].kind == Kind::memory && p.operands[1].code_relative;
      if (!one || p.locked) return "a byte is changed";
      std::string fault = count(p.operands[1], constant(1), false, statement);
      if (fault.empty()) effects_.back().sets = true;
      return fault;
    }
    case Op::push: {
      if (p.operands.size() != 1) return "a probe with odd operands";
      const Operand &o = p.operands[0];
      if (o.kind == Kind::half || o.kind == Kind::byte || o.kind == Kind::vector) return "a probe with odd operands";
      // What the program is about to load may be pushed, too (__chord_leap).
      bool variable = o.kind == Kind::memory && o.code_relative && !o.thread && !o.value.symbol.empty() && o.value.relocation.empty() && o.value.minus.empty();
      bool own = o.kind == Kind::memory && !variable && (o.base == kNoRegister || !resolve(o).value.is_atom_plus(o.base));
      std::string fault = own ? can_load(o) : "";
      if (fault.empty()) fault = push(source(o));
      if (fault.empty() && o.kind == Kind::constant && !o.value.symbol.empty()) pushed_[*stack_key()] = o.value;
      pushed_at_ = executed_.size();
      return fault;
    }
    case Op::pop: {
      return p.operands.size() == 1 ? pop_into(p.operands[0]) : "a probe with odd operands";
    }
    case Op::push_flags:
    case Op::pop_flags:
    case Op::flags_to_ah:
    case Op::ah_to_flags:
    case Op::set_overflow: return flags(p);
    case Op::compare: return compare(p);
    case Op::take_place: return take_place(p);
    case Op::set_condition:
    case Op::widen_byte: return set_outcome(p);
    case Op::read_code:
      if (p.operands.size() != 2 || p.operands[1].kind != Kind::general || p.operands[1].reg == kRsp) return "a probe with odd operands";
      set(p.operands[1].reg, atom_value(atoms_->find(Meaning::code_word, p.operands[0].value.symbol, p.operands[0].value.number)));
      return "";
    case Op::test: {
      // Whether a counting register is zero, for the outcome of a branch.
      bool outcome = p.operands.size() == 2 && p.operands[0].reg == kRcx && p.operands[1].reg == kRcx && !trace_unchecked_;
      if (outcome) {
        spoil_flags();
        bool whole = p.operands[0].kind == Kind::general, kept = whole ? value(kRcx).is_atom(kRcx) : keeps_lower_half(kRcx);
        if (kept) counted_down_ = whole ? "rcxz" : "ecxz";
        counted_flag_ = kept ? flags_[kZero] : -1;
        return "";
      }
      bool same = p.operands.size() == 2 && p.operands[0].kind == Kind::general && p.operands[1].kind == Kind::general && p.operands[0].reg == p.operands[1].reg;
      spoil_flags();
      if (!same || !trace_unchecked_ || !(value(p.operands[0].reg) == trace_)) return "a probe that tests something odd";
      sign_ = Sign::trace;
      sign_flag_ = flags_[kSign];
      return "";
    }
    case Op::shift_left: return shift_left(p, statement);
    case Op::round_down: return round_down(p);
    case Op::mask: {
      bool right = p.operands.size() == 2 && p.operands[0].kind == Kind::constant && p.operands[0].value.symbol.empty() && p.operands[0].value.number >= 0;
      if (!right) return "a probe with odd operands";
      Value was = value(p.operands[1].reg);
      const AtomMeaning *m = lone(was);
      bool known = m != nullptr && (m->kind == Meaning::shifted || (m->kind == Meaning::loaded && m->name == "history"));
      set(p.operands[1].reg, atom_value(known ? atoms_->find_of(Meaning::masked, was, {}, p.operands[0].value.number) : atoms_->make({Meaning::masked, {}, p.operands[0].value.number, {}})));
      spoil_flags();
      return "";
    }
    case Op::shift_right:
      if (!p.narrow) return hash(p);
      if (p.operands.size() != 2 || p.operands[0].kind != Kind::constant) return "a probe with odd operands";
      if (std::optional<Value> number = p.operands[0].value.symbol.empty() && p.operands[0].value.number == 3 ? number_of_record(value(p.operands[1].reg)) : std::nullopt) {
        set(p.operands[1].reg, std::move(*number));
      } else if (std::optional<Value> half = lower_half(value(p.operands[1].reg)); half && p.operands[0].value.symbol.empty()) {
        set(p.operands[1].reg, atom_value(atoms_->find_of(Meaning::shifted, *half, {}, p.operands[0].value.number)));
      } else {
        set_fresh(p.operands[1].reg);
      }
      spoil_flags();
      return "";
    case Op::multiply: return hash(p);
    case Op::clear:
      if (p.operands.size() == 2 && p.operands[0].kind == Kind::constant && p.operands[0].value.symbol.empty() && p.operands[0].value.number >= 0) {
        // Of something masked as many bits are left.
        Value v = value(p.operands[1].reg);
        const AtomMeaning *m = lone(v);
        std::optional<int64_t> mask = m != nullptr && m->kind == Meaning::masked ? std::optional(m->key | p.operands[0].value.number) : std::nullopt;
        set(p.operands[1].reg, atom_value(mask ? atoms_->find_of(Meaning::masked, sum(v, constant(p.operands[0].value.number)), "xor", *mask) : atoms_->fresh()));
        spoil_flags();
        return "";
      }
      if (p.operands.size() != 2 || p.operands[0].reg != p.operands[1].reg || p.operands[0].kind != Kind::half) return "a probe with odd operands";
      set(p.operands[1].reg, constant(0));
      spoil_flags();
      return "";
    case Op::call: return call(p.target, statement);
    case Op::jump:
    case Op::jump_zero:
    case Op::jump_other:
    case Op::jump_sign:
    case Op::jump_above:
    case Op::jump_not_below:
    case Op::nothing:
    case Op::entry_mark: return "";
    default: return vectors(p);
  }
}

}  // namespace chord::verify
