// Probes of models: what they ask of the model's own words, and what they tell the runtime where those do not answer
// (abi/chord_models.h). What is asked and told is written down here; whether it is right, counting/models.h proves.
#include <chord_abi.h>
#include <chord_models.h>

#include <algorithm>

#include "verify/flow/x86_64_machine.h"

namespace chord::verify {

using Meaning = AtomMeaning::Kind;

namespace {

// That a condition depends on; all of them if it is not known.
std::vector<unsigned> flags_of(std::string_view condition) {
  static const std::map<std::string_view, std::vector<unsigned>> kFlagsOf = {
      {"o", {kOverflow}}, {"no", {kOverflow}},         {"b", {kCarry}},         {"ae", {kCarry}},           {"e", {kZero}},  {"ne", {kZero}},
      {"s", {kSign}},     {"ns", {kSign}},             {"p", {kParity}},        {"np", {kParity}},          {"be", {kCarry, kZero}}, {"a", {kCarry, kZero}},
      {"l", {kSign, kOverflow}}, {"ge", {kSign, kOverflow}}, {"le", {kZero, kSign, kOverflow}}, {"g", {kZero, kSign, kOverflow}}};
  auto found = kFlagsOf.find(condition);
  return found != kFlagsOf.end() ? found->second : std::vector<unsigned>{kCarry, kParity, kAdjust, kZero, kSign, kOverflow};
}

}  // namespace

const AtomMeaning *Machine::lone(const Value &v) const {
  return v.terms.size() == 1 && v.is_atom(v.terms[0].first) ? atoms_->meaning(v.terms[0].first) : nullptr;
}

std::optional<Value> Machine::effective_address(const Operand &m) {
  const Expression &e = m.value;
  // Distances from the instruction itself say something else elsewhere.
  if (m.kind != Operand::Kind::memory || (m.code_relative && e.symbol.empty()) || e.symbol == "." || e.minus == ".") return std::nullopt;
  Value v = constant(e.number);
  if (!e.symbol.empty() && e.relocation.empty()) v = sum(v, atom_value(atoms_->find(Meaning::symbol, e.symbol)));
  if (!e.symbol.empty() && !e.relocation.empty()) {
    // One after the other in the text, with the @ between them.
    std::string_view name(e.symbol.data(), static_cast<size_t>(e.relocation.data() + e.relocation.size() - e.symbol.data()));
    v = sum(v, atom_value(atoms_->find(Meaning::relocated, name)));
  }
  if (!e.minus.empty()) v = difference(v, atom_value(atoms_->find(Meaning::symbol, e.minus)));
  if (m.base != kNoRegister) v = sum(v, value(m.base));
  if (m.index != kNoRegister) v = sum(v, times(value(m.index), m.scale));
  if (m.thread) v = sum(v, atom_value(atoms_->find(Meaning::loaded, "thread")));
  return v;
}

// ---- the outcome of a branch ----

// setCC and movzbl: 1 or 0 as the branch will be taken or not.
std::string Machine::set_outcome(const ProbeInstruction &p) {
  unsigned into = p.operands.back().reg;
  if (into == kRsp) return "a probe with odd operands";
  if (p.op == Op::widen_byte) {
    unsigned from = p.operands[0].reg;
    const AtomMeaning *m = lone(value(from));
    std::optional<std::string_view> what = m != nullptr && m->kind == Meaning::condition_byte ? std::optional(m->name) : std::nullopt;
    if (from == kRax && al_ == std::optional<int>(kOverflow)) what = "o";
    set(into, atom_value(what ? atoms_->find(Meaning::condition, *what) : atoms_->fresh()));
    return "";
  }
  bool flags_kept = true;
  for (unsigned f : flags_of(p.condition)) flags_kept = flags_kept && keeps_flag(f);
  std::optional<std::string_view> what = flags_kept ? std::optional(p.condition) : std::nullopt;
  if (p.condition == "e" && counted_down_ && flags_[kZero] == counted_flag_) what = counted_down_;
  set(into, atom_value(what ? atoms_->find(Meaning::condition_byte, *what) : atoms_->fresh()));
  return "";
}

Value Machine::history() { return history_ ? *history_ : atom_value(atoms_->find(Meaning::loaded, "history")); }

// The history gets another bit: what the branch that was just asked about will do.
std::string Machine::remember(unsigned reg) {
  if (looks_.empty() || looks_.back().of != Look::Of::branch || looks_.back().missed || looks_.back().remembered) return "a branch is remembered that was not looked at";
  Value longer = sum(looks_.back().at[1], times(history(), 2));
  if (!(value(reg) == atom_value(atoms_->find_of(Meaning::low_half_of, longer)))) return "the history of branches becomes something else";
  looks_.back().remembered = true;
  history_ = value(reg);
  return "";
}

// ---- questions ----

// A line of code in its set, or the counter of a branch.
std::string Machine::compare_with_model(const ProbeInstruction &p, const Value &address) {
  comparison_ = {};
  spoil_flags();
  comparison_.zero = flags_[kZero];
  Value lines = difference(address, atom_value(atoms_->find(Meaning::loaded, "lines")));
  if (p.operands[0].kind == Operand::Kind::constant) {
    if (!lines.is_number() || p.narrow || looks_.empty() || looks_.back().of != Look::Of::code) return "a probe that compares something odd";
    comparison_.code_line = std::pair(p.operands[0].value.number, lines.number);
    return "";
  }
  Look look;
  look.of = Look::Of::branch;
  look.statement = executed_.back();
  look.at[0] = difference(difference(address, atom_value(atoms_->find(Meaning::loaded, "predictor"))), constant(CHORD_PREDICTOR_COUNTERS));
  look.at[1] = value(p.operands[0].reg);
  if (const AtomMeaning *m = lone(look.at[1]); m == nullptr || m->kind != Meaning::condition) return "a branch is looked at that does something else";
  looks_.push_back(std::move(look));
  comparison_.prediction = true;
  return "";
}

// Which way was taken: what was asked about is there, or the runtime is to be told.
std::string Machine::branch_on_model(Op jump, bool taken) {
  const bool asks = comparison_.unless || comparison_.code_line || comparison_.prediction;
  if (asks && (jump != Op::jump_other || comparison_.zero != flags_[kZero])) return "a jump on a comparison that tells nothing";
  if (comparison_.unless) {
    looks_.back().unless = comparison_.unless;
    looks_.back().other_code = taken;
    if (taken) owed_ = Owed::nothing;
  }
  if (comparison_.code_line) {
    if (looks_.back().missed) return "code is looked for twice";
    looks_.back().lines.push_back(*comparison_.code_line);
  }
  if (comparison_.code_line || comparison_.prediction) {
    looks_.back().missed = taken;
    if (taken) owed_ = comparison_.prediction ? Owed::prediction : Owed::fetch;
  }
  if (asks) comparison_ = {};
  if (jump != Op::jump_above) return "";
  if (!comparison_.line || comparison_.carry != flags_[kCarry]) return "a jump on a comparison that tells nothing";
  Look look;
  look.statement = executed_.back();
  look.missed = taken;
  look.at[0] = *comparison_.line;
  look.limit = comparison_.limit;
  looks_.push_back(std::move(look));
  if (taken) owed_ = Owed::reference;
  looked_at_.reset();
  return "";
}

// ---- what the runtime is told ----

// Two words, with where it counts between them: what and, on top, how much of it or which counter.
std::string Machine::tell(std::string_view routine, int64_t key, const Value &sum_at) {
  if (routine == "__chord_strings") {
    Look look;
    look.of = Look::Of::strings;
    look.statement = executed_.back();
    look.at = {value(kRsi), value(kRdi), value(kRcx)};
    look.requests.push_back({{}, word(key), sum_at});
    looks_.push_back(std::move(look));
    return "";
  }
  const Look::Of of = routine == "__chord_fetch" ? Look::Of::code : routine == "__chord_branch" ? Look::Of::branch : Look::Of::data;
  if (looks_.empty() || looks_.back().of != of || !looks_.back().missed || looks_.back().other_code) return "a model is told of something else";
  looks_.back().requests.push_back({word(key + 16), word(key), sum_at});
  owed_ = Owed::nothing;
  return "";
}

}  // namespace chord::verify
