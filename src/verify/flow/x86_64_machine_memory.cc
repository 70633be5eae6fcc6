// Memory as inserted code sees it: the stack, counters, and the weaver's own words.
#include "verify/flow/x86_64_machine.h"

#include <chord_abi.h>
#include <chord_traces.h>

#include <cstddef>

#include "verify/claims/context_procs.h"

namespace chord::verify {

using Kind = Operand::Kind;
using Meaning = AtomMeaning::Kind;

namespace {

constexpr int64_t kRecordWord = -16;
bool is_own_word(int64_t key) { return key == -16 || key == -8; }

}  // namespace

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

// The thread-local word that the address is of, by its offset or by way of the global offset table.
std::string_view Machine::thread_word(const Value &address) const {
  if (address.terms.size() != 1 || address.terms[0].second != 1) return {};
  const AtomMeaning *m = atoms_->meaning(address.terms[0].first);
  return m != nullptr && (m->kind == Meaning::thread_symbol || m->kind == Meaning::offset_word) ? m->name : std::string_view();
}

std::string_view Machine::symbol_of(const Value &v) const {
  const AtomMeaning *m = v.terms.size() == 1 && v.terms[0].second == 1 && v.number == 0 ? atoms_->meaning(v.terms[0].first) : nullptr;
  return m != nullptr && m->kind == Meaning::symbol ? m->name : std::string_view();
}

std::optional<Machine::InRecord> Machine::in_record(const Value &v) const {
  if (v.terms.size() != 1 || v.terms[0].second != 1) return std::nullopt;
  Atom atom = v.terms[0].first;
  const AtomMeaning *m = atoms_->meaning(atom);
  if (m != nullptr && m->kind == Meaning::record) return InRecord{v.number, false};
  if (around_.record_of.empty()) return std::nullopt;
  bool held = around_.record_in != kNoRegister ? atom == around_.record_in : m != nullptr && m->kind == Meaning::stack_word && m->key == kRecordWord && around_.own_words;
  return held ? std::optional(InRecord{v.number, span_of(v) != 0}) : std::nullopt;
}

std::optional<Value> Machine::path_in_record(const Value &v) const {
  std::optional<InRecord> at = in_record(v);
  if (!at || at->offset % 8 != 0 || (!around_.record_of.empty() && record_name(v) != around_.record_of)) return std::nullopt;
  Value number = constant(at->offset / 8);
  return at->ahead ? sum(number, atom_value(v.terms[0].first)) : number;
}

// Records are multiples of 2 to this; 0: no paths are counted there.
uint32_t Machine::span_of(const Value &v) const {
  if (around_.contexts == nullptr) return 0;
  auto proc = around_.contexts->by_label.find(record_name(v));
  return proc == around_.contexts->by_label.end() ? 0 : proc->second.span;
}

// From somewhere in a record's first 2^span bytes to where it begins.
std::string Machine::round_down(const ProbeInstruction &p) {
  bool right = p.operands.size() == 2 && p.operands[0].kind == Kind::constant && p.operands[0].value.symbol.empty() && !p.locked;
  if (!right || (p.operands[1].kind != Kind::general && p.operands[1].kind != Kind::memory)) return "a probe with odd operands";
  const Operand &into = p.operands[1];
  bool memory = into.kind == Kind::memory;
  if (memory && resolve(into).kind != Address::Kind::stack) return "memory is changed that is no counter";
  Value v = source(into);
  std::optional<InRecord> at = in_record(v);
  uint32_t span = at ? span_of(v) : 0;
  if (span == 0 || p.operands[0].value.number != -(int64_t{1} << span)) return "a record is looked for elsewhere";
  Effect rounds;
  rounds.kind = Effect::Kind::rounds;
  rounds.symbol = record_name(v);
  rounds.index = constant(at->offset);
  rounds.ahead = at->ahead;
  rounds.statement = executed_.back();
  effects_.push_back(std::move(rounds));
  Value record = atom_value(atoms_->find(Meaning::record, record_name(v)));
  std::string fault;
  if (memory) fault = store(into, record, 8);
  else set(into.reg, std::move(record));
  spoil_flags();
  return fault;
}

std::string_view Machine::record_name(const Value &v) const {
  const AtomMeaning *m = atoms_->meaning(v.terms[0].first);
  return m != nullptr && m->kind == Meaning::record ? m->name : around_.record_of;
}

// A word of the weaver's that probes read.
std::string_view Machine::own_word(const Operand &m, const Value &address) const {
  if (m.thread) {
    std::string_view word = thread_word(address);
    if (address == constant(0)) return "thread";
    if (address.number != 0) return {};
    if (word == "__chord_l1i") return "lines";
    if (word == "__chord_predictor") return "predictor";
    return word == "__chord_l1d" ? "sets" : word == CHORD_LINK_SYMBOL ? "link" : std::string_view();
  }
  if (address.terms.size() == 1 && atoms_->is(address.terms[0].first, Meaning::loaded, "site") && address.terms[0].second == 1) {
    return address.number == 0 ? "site.record" : address.number == 8 ? "site.kept" : std::string_view();
  }
  if (is_of_model(address)) return "model";
  return mask_of(address) ? "line" : std::string_view();
}

// A word of the model of an instruction cache, or of a branch predictor: their start and a number, and something masked.
bool Machine::is_of_model(const Value &address) const {
  bool model = false;
  for (const auto &[atom, factor] : address.terms) {
    const AtomMeaning *m = atoms_->meaning(atom);
    bool start = atoms_->is(atom, Meaning::loaded, "lines") || atoms_->is(atom, Meaning::loaded, "predictor");
    if (m == nullptr || factor != 1 || (!start && m->kind != Meaning::masked)) return false;
    model = model || start;
  }
  return model && address.terms.size() <= 2 && address.number >= 0;
}

// One of the sets of a modelled cache: their start, plus something masked.
std::optional<int64_t> Machine::mask_of(const Value &address) const {
  if (address.terms.size() != 2 || address.number != 0) return std::nullopt;
  std::optional<int64_t> mask;
  bool sets = false;
  for (const auto &[atom, factor] : address.terms) {
    const AtomMeaning *m = atoms_->meaning(atom);
    if (m == nullptr || factor != 1) return std::nullopt;
    if (m->kind == Meaning::masked) mask = m->key;
    if (atoms_->is(atom, Meaning::loaded, "sets")) sets = true;
  }
  return sets ? mask : std::nullopt;
}

// How the address was shifted whose set it is.
const AtomMeaning *Machine::shift_of_set(const Value &address) const {
  for (const auto &[atom, factor] : address.terms) {
    const AtomMeaning *m = atoms_->meaning(atom);
    if (m != nullptr && m->kind == Meaning::masked && m->of.terms.size() == 1) return atoms_->meaning(m->of.terms[0].first);
  }
  return nullptr;
}

// What the thread keeps in the module under that name, by either way.
bool Machine::is_own(const Operand &m, const Value &address, std::string_view name) const {
  if (m.thread) return thread_word(address) == name;
  const bool pair = address.terms.size() == 2 && address.terms[0].second == 1 && address.terms[1].second == 1;
  if (!pair) return false;
  const Atom one = address.terms[0].first, other = address.terms[1].first;
  return (atoms_->is(one, Meaning::delta, name) && atoms_->is(other, Meaning::home, name)) || (atoms_->is(one, Meaning::home, name) && atoms_->is(other, Meaning::delta, name));
}

Machine::Address::Kind Machine::kind_of(const Operand &m, const Value &address) const {
  std::string_view word = m.thread ? thread_word(address) : std::string_view();
  if (word == CHORD_SITE_SYMBOL && address.number == 0) return Address::Kind::names_call;
  if (is_own(m, address, CHORD_TRACE_SYMBOL) && (address.number == 0 || address.number == 4)) return Address::Kind::trace;
  if (is_own(m, address, CHORD_TRACE_SYMBOL) && address.number == 8 * CHORD_TRACE_EXPECTED) return Address::Kind::expected;
  if (!m.thread && address.terms.size() == 1 && atoms_->is(address.terms[0].first, Meaning::loaded, "link") && address == atom_value(address.terms[0].first)) return Address::Kind::names_call;
  if (!own_word(m, address).empty()) return Address::Kind::own;
  if (!m.thread && in_record(address)) return Address::Kind::record;
  Meaning wanted = m.thread ? Meaning::thread_symbol : Meaning::symbol;
  for (const auto &[atom, factor] : address.terms) {
    const AtomMeaning *meaning = atoms_->meaning(atom);
    bool names = meaning != nullptr && (meaning->kind == wanted || meaning->kind == (m.thread ? Meaning::offset_word : Meaning::home));
    if (names && factor == 1) return Address::Kind::counter;
  }
  return Address::Kind::other;
}

Machine::Address Machine::resolve(const Operand &m) {
  Address out;
  out.value = address_value(m);
  out.thread = m.thread;
  bool plain = m.value.minus.empty() && (m.value.relocation.empty() || (m.thread && m.value.relocation == "tpoff"));
  if (!plain || (m.value.symbol.empty() && m.code_relative) || (m.code_relative && m.index != kNoRegister)) return out;
  if (!m.thread && out.value.is_atom_plus(kRsp)) {
    out.kind = Address::Kind::stack;
    out.key = start_key() + out.value.number;
  } else if (!m.thread && out.value.is_atom_plus(kRbp) && around_.frame_at) {
    out.kind = Address::Kind::stack;
    out.key = *around_.frame_at + out.value.number;
  } else {
    out.kind = kind_of(m, out.value);
    out.key = out.value.number;
    out.ahead = out.kind == Address::Kind::record && in_record(out.value)->ahead;
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

std::optional<Value> Machine::left_below(int64_t at) const {
  auto found = below_.find(at);
  return found == below_.end() ? std::nullopt : std::optional(found->second);
}

// The word that says where, relative to the thread pointer, the module's delta is.
bool is_slot_of_delta(const Operand &m) {
  return m.code_relative && m.value.symbol == "__chord_slot" && m.value.relocation.empty() && m.value.minus.empty() && m.value.number == 0;
}

// What a thread keeps in the module beside counters: by the home's name, what code of shared objects finds through it.
struct Home {
  std::string_view home, name;
};
constexpr Home kHomes[] = {{CHORD_EVENTS_SYMBOL CHORD_HOME_SUFFIX, CHORD_EVENTS_SYMBOL},
                           {CHORD_TRACE_SYMBOL CHORD_HOME_SUFFIX, CHORD_TRACE_SYMBOL},
                           {CHORD_ADDRESSES_SYMBOL CHORD_HOME_SUFFIX, CHORD_ADDRESSES_SYMBOL}};

// The home of which that is the word at `offset`.
const Home *home_of(const Operand &m, int64_t offset) {
  if (!m.code_relative || !m.value.relocation.empty() || !m.value.minus.empty() || m.value.number != offset) return nullptr;
  for (const Home &home : kHomes) {
    if (m.value.symbol == home.home) return &home;
  }
  return nullptr;
}

// The home whose slot that is.
const Home *home_named(std::string_view slot) {
  for (const Home &home : kHomes) {
    if (slot == home.home) return &home;
  }
  return nullptr;
}

// Empty, or why that may not be there to be read.
std::string Machine::can_load(const Operand &m) {
  if (is_slot_of_delta(m) || home_of(m, offsetof(chord_home, slot)) || home_of(m, offsetof(chord_home, base))) return "";
  if (m.code_relative && m.value.relocation == "gottpoff" && m.value.number == 0) return "";
  Address at = resolve(m);
  bool whole = at.kind != Address::Kind::trace || at.key == 0;
  bool delta = m.thread && at.value.number == 0 && (thread_word(at.value) == "__chord_delta" || home_named(thread_word(at.value)) != nullptr);
  bool known = at.kind == Address::Kind::stack || at.kind == Address::Kind::own || at.kind == Address::Kind::names_call ||
               at.kind == Address::Kind::record || (at.kind == Address::Kind::trace && whole) || delta;
  return known ? "" : "a probe reads memory that is not its own";
}

Value Machine::load(const Operand &m) {
  if (is_slot_of_delta(m)) return atom_value(atoms_->find(Meaning::offset_word, "__chord_delta"));
  if (const Home *home = home_of(m, offsetof(chord_home, slot))) return atom_value(atoms_->find(Meaning::offset_word, home->home));
  if (const Home *home = home_of(m, offsetof(chord_home, base))) return atom_value(atoms_->find(Meaning::home, home->name));
  if (m.code_relative && m.value.relocation == "gottpoff" && m.value.number == 0) {
    return atom_value(atoms_->find(Meaning::offset_word, m.value.symbol));
  }
  Address at = resolve(m);
  if (m.thread && m.value.symbol.empty() && at.value == atom_value(atoms_->find(Meaning::offset_word, "__chord_delta"))) {
    return atom_value(atoms_->find(Meaning::delta, {}));
  }
  if (const Home *home = m.thread && at.value.number == 0 ? home_named(thread_word(at.value)) : nullptr) return atom_value(atoms_->find(Meaning::delta, home->name));
  switch (at.kind) {
    case Address::Kind::stack: return word(at.key);
    case Address::Kind::names_call: return named_ ? *named_ : atom_value(atoms_->find(Meaning::loaded, "site"));
    case Address::Kind::record:
      if (auto found = record_words_.find({at.ahead, at.key}); found != record_words_.end()) return found->second;
      return atom_value(atoms_->fresh());
    case Address::Kind::trace:
      if (!trace_known_) trace_ = atom_value(atoms_->find(Meaning::trace_word, {}));
      trace_known_ = true;
      return trace_;
    case Address::Kind::own: {
      std::string_view name = own_word(m, at.value);
      if (name == "model") return atom_value(atoms_->fresh());
      if (name == "lines") {
        looks_.push_back({});
        looks_.back().of = Look::Of::code;
        looks_.back().statement = executed_.back();
      }
      if (name != "line") return atom_value(atoms_->find(Meaning::loaded, name));
      Effect looks;
      looks.kind = Effect::Kind::looks_at;
      looks.index = constant(mask_of(at.value).value_or(-1));
      looks.statement = executed_.back();
      const AtomMeaning *shift = shift_of_set(at.value);
      looks.amount = constant(shift == nullptr ? -1 : shift->key);
      effects_.push_back(std::move(looks));
      Value line = atom_value(atoms_->find_of(Meaning::loaded, at.value, "line"));
      if (owed_ != Owed::reference && shift != nullptr) {
        looked_at_ = shift->of;
        looked_line_ = line;
      }
      return line;
    }
    default: return atom_value(atoms_->fresh());
  }
}

std::string Machine::store_word(int64_t key, const Value &v) {
  std::optional<int64_t> top = stack_key();
  if (!top) return "the stack pointer is lost";
  if (same_space(key, *top) && key < *top) {
    // The record, where the procedure is left: for whoever is interrupted there. Nothing that the program wants is there, and no probe reads it.
    bool left = around_.stack_at && key == kLeftBelow && in_record(v) && key >= *top - kRedZone && around_.red_zone_dead && key < start_key();
    if (!left) return "a store below the stack pointer";
    spoiled_ = {key - start_key(), false, kNoRegister};
    below_[key] = v;
    return "";
  }
  bool own = around_.own_words && is_own_word(key);
  int64_t above = key - start_key();
  if (!own && !same_space(key, start_key())) return "a store to a word of the program";
  if (!own && above >= 0) return "a store to a word of the program";
  if (!own && above > -kRedZone - 8 && !around_.red_zone_dead) return "a store into the red zone";
  if (!own && above < 0) {
    bool plain = v.terms.size() == 1 && v.terms[0].first < 16 && v.is_atom(v.terms[0].first);
    spoiled_ = {above, false, plain ? v.terms[0].first : kNoRegister};
  }
  below_.erase(key);
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

bool Machine::is_address_word(const Operand &m, int64_t at) {
  const Value address = address_value(m);
  return is_own(m, address, CHORD_ADDRESSES_SYMBOL) && address.number == at;
}

// xadd of the word's size: nobody else has the place then.
std::string Machine::take_place(const ProbeInstruction &p) {
  const bool right = p.operands.size() == 2 && p.operands[0].kind == Operand::Kind::general && p.operands[0].reg != kRsp && p.operands[1].kind == Operand::Kind::memory && !p.locked &&
                     value(p.operands[0].reg) == constant(8) && is_address_word(p.operands[1], 0);
  if (!right || (place_ && !place_compared_) || owed_ != Owed::nothing) return "a probe that exchanges something odd";
  place_ = atom_value(atoms_->fresh());
  place_written_ = place_compared_ = false;
  set(p.operands[0].reg, *place_);
  spoil_flags();
  return "";
}

std::string Machine::store(const Operand &m, const Value &v, unsigned bytes) {
  Address at = resolve(m);
  if (bytes == 8 && place_ && !place_written_ && !at.thread && at.value == *place_) {
    Effect writes;
    writes.kind = Effect::Kind::address;
    writes.amount = v;
    writes.statement = executed_.back();
    effects_.push_back(std::move(writes));
    place_written_ = true;
    return "";
  }
  if (bytes == 8 && at.kind == Address::Kind::names_call) {
    named_ = v;
    Effect names;
    names.kind = Effect::Kind::names;
    names.index = v;
    names.statement = executed_.back();
    effects_.push_back(std::move(names));
    return "";
  }
  if (bytes == 8 && at.kind == Address::Kind::record) return store_in_record({at.key, at.ahead}, v);
  if (bytes == 8 && at.kind == Address::Kind::trace && at.key == 0) return write_trace(v, executed_.back());
  if (bytes == 4 && at.kind == Address::Kind::expected && v.is_number()) {
    Effect leaves;
    leaves.kind = Effect::Kind::leaves_mark;
    leaves.index = v;
    leaves.statement = executed_.back();
    expects_nobody_ = v.number == 0;
    if (v.number != 0) effects_.push_back(std::move(leaves));
    return "";
  }
  if (at.kind != Address::Kind::stack) return "a store to memory that is not its own";
  if (bytes == 8) return store_word(at.key, v);
  return v.is_number() ? store_half(at.key, v.number) : "a store of half a register";
}

std::string Machine::store_in_record(const InRecord &at, const Value &v) {
  // How far the two kinds of places are apart is not known here.
  std::erase_if(record_words_, [&](const auto &word) { return word.first.first != at.ahead; });
  record_words_[{at.ahead, at.offset}] = v;
  Effect keeps;
  keeps.kind = Effect::Kind::keeps;
  keeps.index = constant(at.offset);
  keeps.ahead = at.ahead;
  keeps.amount = v;
  keeps.statement = executed_.back();
  effects_.push_back(std::move(keeps));
  return "";
}

std::optional<Value> Machine::distance_of(const Expression &e) {
  if (e.symbol.empty() || e.minus.empty() || e.minus == "." || !e.relocation.empty() || e.number != 0) return std::nullopt;
  return atom_value(atoms_->find_of(Meaning::distance, atom_value(atoms_->find(Meaning::symbol, e.minus)), e.symbol));
}

// A record's distance from a label, less that of the first record from the same label.
std::string Machine::subtract_start(const ProbeInstruction &p) {
  const Expression &start = p.operands[0].value;
  Value v = value(p.operands[1].reg);
  const AtomMeaning *found = v.terms.size() == 1 && v.is_atom(v.terms[0].first) ? atoms_->meaning(v.terms[0].first) : nullptr;
  if (found == nullptr || found->kind != Meaning::distance) return "a probe that changes half a register";
  const AtomMeaning m = *found;  // looking for others may move it
  bool right = p.operands[0].kind == Operand::Kind::constant && !p.locked && distance_of(start) &&
               start.symbol == "__start_" CHORD_PROCS_SECTION && m.of == atom_value(atoms_->find(Meaning::symbol, start.minus));
  if (!right) return "a probe that changes half a register";
  set(p.operands[1].reg, atom_value(atoms_->find(Meaning::record_offset, m.name)));
  spoil_flags();
  return "";
}

std::optional<Value> Machine::number_of_record(const Value &v) {
  const AtomMeaning *m = v.terms.size() == 1 && v.is_atom(v.terms[0].first) ? atoms_->meaning(v.terms[0].first) : nullptr;
  if (m == nullptr || m->kind != Meaning::record_offset) return std::nullopt;
  return atom_value(atoms_->find(Meaning::record_number, m->name));
}

std::string_view Machine::entered_record(const Value &v, int64_t one) const {
  const AtomMeaning *m = v.terms.size() == 1 && v.is_atom_plus(v.terms[0].first) ? atoms_->meaning(v.terms[0].first) : nullptr;
  return m != nullptr && m->kind == Meaning::record_number && v.number == one ? m->name : std::string_view();
}

// The word that it was, shifted, with a token in the bits that are new. The token of an entry is the number of the procedure's record, with a
// bit above it.
std::string Machine::write_trace(const Value &v, uint32_t statement) {
  if (!trace_known_ || trace_unchecked_) return trace_known_ ? "a word of the trace may be full" : "bits of the trace are lost";
  Effect token;
  if (const Value added = difference(v, trace_); added.is_number() && added.number > 0 && added.number < int64_t{1} << kMostTokenBits) {
    token.kind = Effect::Kind::token;  // to the number of a path
    token.amount = added;
    token.statement = statement;
    trace_ = v;
    effects_.push_back(std::move(token));
    return "";
  }
  for (unsigned bits = 1; bits <= kMostTokenBits && token.index.number == 0; ++bits) {
    Value rest = difference(v, times(trace_, int64_t{1} << bits));
    bool entry = bits == CHORD_TRACE_ENTRY_TOKEN_BITS && !entered_record(rest, CHORD_TRACE_ENTRY_TOKEN).empty();
    if (entry || (rest.is_number() && rest.number >= 0 && rest.number < int64_t{1} << bits)) {
      token.index = constant(bits);
      token.amount = rest;
    }
  }
  int64_t bits = token.index.number;
  if (bits == 0) return "bits of the trace are lost";
  token.whole = trace_room_ == bits;
  if (bits > 1 && !token.whole) return "a word of the trace may be full";
  trace_unchecked_ = !token.whole;
  trace_room_ = 0;
  trace_ = v;
  token.symbol = entered_record(token.amount, CHORD_TRACE_ENTRY_TOKEN);
  token.kind = token.symbol.empty() ? Effect::Kind::token : Effect::Kind::begins;
  if (!token.symbol.empty()) token.whole = false;
  token.statement = statement;
  effects_.push_back(std::move(token));
  return "";
}

// ---- counters ----

std::string Machine::count(const Operand &m, const Value &amount, bool locked, uint32_t statement) {
  Address at = resolve(m);
  if (at.kind == Address::Kind::stack) return store_word(at.key, sum(word(at.key), amount));
  if (at.kind == Address::Kind::trace && at.key == 0 && !locked) return write_trace(sum(load(m), amount), statement);
  Effect effect;
  if (at.kind == Address::Kind::record) {
    if ((at.key < CHORD_CONTEXT_COUNTERS && !at.ahead) || at.key % 8 != 0) return "an address between two counters";
    effect.where = Effect::Where::record;
    effect.symbol = record_name(at.value);
    effect.index = constant((at.key - CHORD_CONTEXT_COUNTERS) / 8);
    if (at.ahead) effect.index = sum(effect.index, atom_value(at.value.terms[0].first));
    effect.amount = amount;
    effect.locked = locked;
    effect.statement = statement;
    effects_.push_back(std::move(effect));
    return "";
  }
  if (at.kind != Address::Kind::counter) return "memory is changed that is no counter";
  effect.where = at.thread ? Effect::Where::thread : Effect::Where::shared;
  Value rest = constant(at.value.number);
  bool in_home = false;
  std::string_view delta_of;
  for (const auto &[atom, factor] : at.value.terms) {
    const AtomMeaning *meaning = atoms_->meaning(atom);
    bool names = meaning != nullptr && (meaning->kind == Meaning::thread_symbol || meaning->kind == Meaning::symbol ||
                                        meaning->kind == Meaning::offset_word || meaning->kind == Meaning::home);
    if (names && effect.symbol.empty()) {
      effect.symbol = meaning->name;
      in_home = meaning->kind == Meaning::home;
    } else if (meaning != nullptr && meaning->kind == Meaning::delta && factor == 1 && !at.thread) {
      effect.where = Effect::Where::delta;
      delta_of = meaning->name;
    } else {
      if (factor % 8 != 0) return "a counter's index is not one of a word";
      rest = sum(rest, times(atom_value(atom), factor));
    }
  }
  if (in_home ? effect.where != Effect::Where::delta || delta_of != effect.symbol : !delta_of.empty()) return "a counter is looked for elsewhere";
  if (in_home) effect.where = Effect::Where::thread;
  if (rest.number % 8 != 0) return "an address between two counters";
  effect.index = constant(rest.number / 8);
  for (const auto &[atom, factor] : rest.terms) effect.index = sum(effect.index, times(atom_value(atom), factor / 8));
  effect.amount = amount;
  effect.locked = locked;
  effect.statement = statement;
  effects_.push_back(std::move(effect));
  return "";
}

}  // namespace chord::verify
