#include "verify/flow/flow.h"

#include <fmt/core.h>

#include <algorithm>

#include "verify/claims/context_procs.h"
#include "verify/evidence/evidence.h"
#include "verify/evidence/statements.h"

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

namespace {

constexpr int64_t kWidening = 16;
constexpr int64_t kKeptWord = -8;     // the upper one of the words that are added: the caller's register
constexpr int64_t kRecordWord = -16;  // the lower one of the words that were added
constexpr size_t kMostSteps = 400;  // on one path: inserted code has no loops

}  // namespace

ProcedureFlow::ProcedureFlow(const UnitFacts &unit, uint32_t function, bool may_widen)
    : u_(unit), p_(unit.program), rewritten_(unit.pairing.woven()), function_(function) {
  if (may_widen) frame_.emplace(p_, unit.evidence.jumps().tables(), function, unit.moved, &unit.evidence.jumps().may_stay());
}

void ProcedureFlow::fail(uint32_t instruction, std::string what) const {
  throw Unproved{p_.instrs()[instruction].last, std::move(what)};
}

uint32_t ProcedureFlow::anchor(const Transition &t) const {
  return t.from != kNone ? t.from : t.to != kNone ? t.to : p_.functions()[function_].entry;
}

void ProcedureFlow::reach(uint32_t i, int64_t level) {
  auto [at, first] = levels_.emplace(i, level);
  if (first) waiting_.push_back(i);
  if (at->second != level) fail(i, "the stack pointer is not the same on all paths here");
}

void ProcedureFlow::run() {
  const Function &f = p_.functions()[function_];
  if (f.entry == kNone) return;
  const Instr &entry = p_.instrs()[f.entry];
  uint32_t label = p_.label(f.name, entry.first);
  go_on(kNone, Transition::Kind::enters, f.entry, u_.pairing.woven_of(label), label);
  drain();
  for (const Mention &m : p_.mentions()) {
    if (p_.instrs()[m.instruction].function == function_) mention(m);
  }
  drain();
  if (inside_ != 0) {
    if (!frame_ || !frame_->fault().empty()) fail(frame_ ? frame_->fault_at() : f.entry, frame_ ? frame_->fault() : "its frame is not its own");
    if (touches_kept_) fail(f.entry, "a register is taken that the procedure uses");
  } else {
    for (uint32_t i : f.instructions) {
      if (u_.moved.contains(i)) fail(i, "an operand was moved in a frame that is as it was");
    }
  }
  check_record_register();
  for (const auto &[i, level] : levels_) check_own_rules(i);
}

void ProcedureFlow::drain() {
  while (!waiting_.empty()) {
    uint32_t i = waiting_.back();
    waiting_.pop_back();
    const Instr &in = p_.instrs()[i];
    const Facts &x = in.facts;
    if (x.flow == Flow::jump || x.flow == Flow::conditional) branch(i);
    bool falls = x.flow == Flow::next || x.flow == Flow::conditional || x.flow == Flow::call;
    if (falls && in.next != kNone && p_.instrs()[in.next].function == function_) {
      if (p_.instrs()[in.next].first <= in.last) {  // both made by one statement
        transitions_.push_back({Transition::Kind::falls, i, in.next, {}, kNone, 0});
        reach(in.next, levels_.at(i));
        continue;
      }
      uint32_t next = u_.pairing.next(u_.pairing.woven_of(in.last));
      if (next == kNone) fail(i, "nothing follows it");
      go_on(i, Transition::Kind::falls, in.next, next);
    }
    bool ends = x.flow == Flow::leave;
    if (ends && levels_.at(i) != 0) fail(i, "it returns from a frame that is still wider");
    if (ends) transitions_.push_back({Transition::Kind::jumps, i, kNone, {}, kNone, 0});
  }
}

// A jump leads where it did: within the function, out of it, or by a table, which is proved apart.
void ProcedureFlow::branch(uint32_t i) {
  const Instr &in = p_.instrs()[i];
  const Statement &a = p_.source().statements[in.last], &b = rewritten_.statements[u_.pairing.woven_of(in.last)];
  if (in.facts.indirect) {
    if (levels_.at(i) != 0 && leaves(i)) fail(i, "it leaves a frame that is still wider");
    transitions_.push_back({Transition::Kind::jumps, i, kNone, {}, kNone, 0});
    return;
  }
  bool inside = in.target != kNone && p_.instrs()[in.target].function == function_;
  std::string_view name = assembly::first_symbol(b.operands);
  uint32_t label = u_.pairing.label(name, u_.pairing.woven_of(in.last));
  if (inside) {
    if (label == kNone) fail(i, "it leads to a label that is gone");
    return go_on(i, Transition::Kind::jumps, in.target, label, p_.label(in.callee, in.last));
  }
  bool same = a.operands == b.operands || is_stand_in(p_, in.callee, name);
  if (same && levels_.at(i) != 0) fail(i, "it leaves a frame that is still wider");
  if (same) {
    transitions_.push_back({Transition::Kind::jumps, i, kNone, {}, kNone, 0});
    return;
  }
  if (label == kNone || !u_.pairing.is_inserted(label)) fail(i, "it leads elsewhere");
  leave(i, label, a.operands);
}

bool ProcedureFlow::leaves(uint32_t i) const {
  const Instr &in = p_.instrs()[i];
  if (in.facts.flow == Flow::leave) return true;
  if (in.facts.flow != Flow::jump) return false;
  if (in.facts.indirect) return u_.evidence.jumps().leaves(i);
  return in.target == kNone || p_.instrs()[in.target].function != function_;
}

StackFacts ProcedureFlow::around(uint32_t from, Transition::Kind kind, uint32_t to, int64_t level) const {
  StackFacts out;
  uint32_t here = to != kNone ? to : from;
  if (frame_) {
    if (auto at = frame_->stack(here)) out.stack_at = *at - level;
    if (auto at = frame_->frame_pointer(here)) out.frame_at = *at - kWidening;
  }
  out.own_words = level == kWidening;
  out.contexts = &u_.contexts;
  out.record_of = record_of_;
  out.record_in = record_in_;
  bool begins = kind == Transition::Kind::enters || kind == Transition::Kind::lands;
  if (from != kNone) {
    const Facts &x = p_.instrs()[from].facts;
    begins = x.flow == Flow::call || (x.entry_mark && from == p_.functions()[function_].entry);
  }
  bool ends = to == kNone || p_.instrs()[to].facts.flow == Flow::call || leaves(to);
  out.red_zone_dead = begins || ends;
  return out;
}

void ProcedureFlow::go_on(uint32_t from, Transition::Kind kind, uint32_t to, uint32_t start, uint32_t label, uint32_t table) {
  int64_t level = from != kNone ? levels_.at(from) : kind == Transition::Kind::enters ? 0 : inside_;
  uint32_t padding = label == kNone ? p_.instrs()[to].padding : p_.padding_from(label, to);
  Transition t{kind, from, to, {}, table, padding};
  if (uint32_t s = next_code(start); s != kNone && !u_.pairing.is_inserted(s)) {
    check_comes_to(to, s);
    reach(to, level);
  } else {
    std::vector<Path> paths;
    walk(start, to, {}, {Machine(atoms_, around(from, kind, to, level)), {}}, paths);
    for (Path &path : paths) arrive(t, path);
    for (Path &path : paths) t.ends.push_back(std::move(path.machine));
  }
  transitions_.push_back(std::move(t));
}

// By a stub that jumps to `target` in the end.
void ProcedureFlow::leave(uint32_t from, uint32_t start, std::string_view target) {
  Transition t{Transition::Kind::jumps, from, kNone, {}, kNone, 0};
  std::vector<Path> paths;
  walk(start, kNone, target, {Machine(atoms_, around(from, t.kind, kNone, levels_.at(from))), {}}, paths);
  for (Path &path : paths) arrive(t, path);
  for (Path &path : paths) t.ends.push_back(std::move(path.machine));
  transitions_.push_back(std::move(t));
}

// The first statement of code from a woven statement on, inserted or the program's.
uint32_t ProcedureFlow::next_code(uint32_t s) const {
  for (; s != kNone; s = u_.pairing.next(s)) {
    const Statement &x = rewritten_.statements[s];
    if (x.kind == StatementKind::instruction) return s;
    if (x.kind != StatementKind::directive || u_.pairing.is_inserted(s) || assembly::is_alignment(x)) continue;
    uint32_t original = u_.pairing.original_of(s), i = p_.instr_from(original);
    if (i != kNone && p_.instrs()[i].first == original) return s;
  }
  return kNone;
}

// The program's statement is that of the instruction.
void ProcedureFlow::check_comes_to(uint32_t to, uint32_t s) const {
  uint32_t original = u_.pairing.original_of(s);
  if (to != kNone && p_.instr_from(original) == to) return;
  fail(to != kNone ? to : p_.functions()[function_].entry, fmt::format("control comes to line {} in its place", p_.source().statements[original].line));
}

// From a woven statement on, through inserted code, to the original instruction `to`, or out by a jump
// to `out`.
void ProcedureFlow::walk(uint32_t s, uint32_t to, std::string_view out, Path path, std::vector<Path> &ends) {
  uint32_t about = to != kNone ? to : p_.functions()[function_].entry;
  for (s = next_code(s); s != kNone; s = next_code(u_.pairing.next(s))) {
    const Statement &x = rewritten_.statements[s];
    if (!u_.pairing.is_inserted(s)) {
      check_comes_to(to, s);
      ends.push_back(std::move(path));
      return;
    }
    if (path.steps.size() > kMostSteps || ends.size() > 64) fail(about, "inserted code does not end");
    std::optional<ProbeInstruction> probe = read_probe(x);
    if (!probe) fail(about, fmt::format("an inserted instruction that is none of a probe: {} {}", x.name, x.operands));
    path.steps.push_back({s, path.machine.stack_moved().value_or(0), {}, gives_back(path.machine)});
    visited_.insert(s);
    if (std::string fault = path.machine.execute(*probe, s); !fault.empty()) fail(about, fmt::format("{}: {} {}", fault, x.name, x.operands));
    path.steps.back().spoils = path.machine.spoiled();
    if (!is_conditional(probe->op) && probe->op != Op::jump) continue;
    if (probe->op == Op::jump && to == kNone && (probe->target == out || is_stand_in(p_, assembly::first_symbol(out), probe->target))) {
      ends.push_back(std::move(path));
      return;
    }
    uint32_t label = u_.pairing.label(probe->target, s);
    if (label == kNone) fail(about, fmt::format("inserted code jumps to nowhere: {}", probe->target));
    if (probe->op == Op::jump) {
      s = label;
      // The label itself may be the last statement of its section.
      continue;
    }
    Path other = path;
    std::string fault = other.machine.branch(probe->op, true);
    if (fault.empty()) fault = path.machine.branch(probe->op, false);
    if (!fault.empty()) fail(about, fmt::format("{}: {} {}", fault, x.name, x.operands));
    walk(label, to, out, std::move(other), ends);
  }
  fail(about, "inserted code leads nowhere");
}

void ProcedureFlow::arrive(const Transition &t, Path &path) {
  int64_t before = t.from != kNone ? levels_.at(t.from) : t.kind == Transition::Kind::enters ? 0 : inside_;
  std::optional<int64_t> moved = path.machine.stack_moved();
  if (!moved) fail(anchor(t), "the stack pointer is lost");
  int64_t after = before - *moved;
  if (std::string fault = path.machine.unfinished(); !fault.empty()) fail(anchor(t), fault);
  is_entering(t) ? find_record(t, path.machine) : check_record(t, path.machine);
  if (after != before) check_level(t, path.machine, before, after);
  if (t.to == kNone && after != 0) fail(anchor(t), "it leaves a frame that is still wider");
  // What the widened frame keeps must stay there.
  if (before == kWidening && after == kWidening && kept_ != kNoRegister) {
    Value word = path.machine.frame_word(-8);
    const AtomMeaning *m = word.terms.size() == 1 && word.number == 0 ? atoms_.meaning(word.terms[0].first) : nullptr;
    if (m == nullptr || m->kind != AtomMeaning::Kind::stack_word || m->key != -8) fail(anchor(t), "what the frame keeps for the caller is lost");
  }
  check_live(t.to, t.from, path.machine, after);
  check_rules(t, path, after);
  if (t.to != kNone) reach(t.to, after);
}

bool ProcedureFlow::is_entering(const Transition &t) const {
  uint32_t entry = p_.functions()[function_].entry;
  return t.kind == Transition::Kind::enters || (t.from == entry && p_.instrs()[t.from].facts.entry_mark && t.kind == Transition::Kind::falls);
}

// Calling contexts: the activation's record is found where it begins, and stays where it is.
void ProcedureFlow::find_record(const Transition &t, const Machine &machine) {
  std::string_view of;
  unsigned in = kNoRegister;
  bool survives = false;  // calls
  auto look = [&](const Value &v, unsigned reg) {
    const AtomMeaning *m = v.terms.size() == 1 && machine.path_in_record(v) ? atoms_.meaning(v.terms[0].first) : nullptr;
    if (m == nullptr || m->kind != AtomMeaning::Kind::record) return;
    auto proc = u_.contexts.by_label.find(m->name);
    if (v.number != 0 && (proc == u_.contexts.by_label.end() || proc->second.span == 0)) return;
    // Another register may already name the slot of a call that follows at once.
    bool kept = reg == kNoRegister || (kPreserved & general(reg));
    if (survives && !kept) return;
    survives = kept;
    of = m->name;
    in = reg;
  };
  for (const auto &[reg, v] : machine.changed()) look(v, reg);
  if (std::optional<Value> word = machine.stored(kRecordWord)) look(*word, kNoRegister);
  if (found_record_ && (of != record_of_ || in != record_in_)) fail(anchor(t), "the record of its context is not the same on all paths");
  found_record_ = true;
  record_of_ = of;
  record_in_ = in;
}

void ProcedureFlow::check_record(const Transition &t, const Machine &machine) const {
  if (record_of_.empty() || t.to == kNone || leaves(t.to)) return;
  std::optional<Value> holds = record_in_ == kNoRegister ? machine.stored(kRecordWord) : machine.value(record_in_);
  if (!holds) return;
  // Ahead of it by a path's number it may be where paths are counted there (contexts.h).
  std::optional<Value> number = machine.path_in_record(*holds);
  auto proc = u_.contexts.by_label.find(record_of_);
  bool ahead = proc != u_.contexts.by_label.end() && proc->second.span != 0;
  if (!number || (!ahead && !(*number == constant(0)))) fail(anchor(t), "the record of its context is lost");
}

// In a register that calls destroy it is only safe without any, and without anybody who lands.
void ProcedureFlow::check_record_register() const {
  if (record_in_ == kNoRegister) return;
  const Function &f = p_.functions()[function_];
  bool destroyed = !(kPreserved & general(record_in_));
  if (destroyed && !f.landings.empty()) fail(f.entry, "the record of its context is in a register that is lost where it lands");
  for (const auto &[i, level] : levels_) {
    const Facts &x = p_.instrs()[i].facts;
    if (x.writes & general(record_in_)) fail(i, "it changes the register in which the record of its context is");
    if (destroyed && x.flow == Flow::call) fail(i, "a call may destroy the register in which the record of its context is");
  }
}

// The frame is made wider where the function is entered, and is as it was where it is left.
void ProcedureFlow::check_level(const Transition &t, Machine &machine, int64_t before, int64_t after) {
  const Function &f = p_.functions()[function_];
  if (before == 0 && after == kWidening) {
    if (!is_entering(t) || !frame_) fail(anchor(t), "the stack pointer is moved");
    inside_ = kWidening;
    Value word = machine.frame_word(-8);
    for (unsigned r = 0; r < 16; ++r) {
      if (word.is_atom(r)) kept_ = r;
    }
    for (uint32_t i : f.instructions) {
      const Facts &x = p_.instrs()[i].facts;
      if (kept_ != kNoRegister && ((x.reads | x.writes) & whole(kept_))) touches_kept_ = touches_kept_ || !x.unknown;
    }
    if (kept_ != kNoRegister && !(kPreserved & general(kept_))) fail(anchor(t), "a register is kept that calls destroy");
    return;
  }
  if (before != kWidening || after != 0) fail(anchor(t), "the stack pointer is moved");
  if (t.to != kNone && !leaves(t.to)) fail(t.to, "the frame is gone too early");
  uint32_t there = t.to != kNone ? t.to : t.from;
  if (frame_->stack(there).value_or(0) != 0) fail(there, "the frame is taken down where the stack pointer is not at its end");
  if (kept_ != kNoRegister && !gives_back(machine)) fail(anchor(t), "the caller's register is not what it was");
}

// The register that the wider frame keeps is what the frame has of it.
bool ProcedureFlow::gives_back(const Machine &machine) const {
  if (kept_ == kNoRegister) return false;
  Value v = machine.value(kept_);
  const AtomMeaning *m = v.terms.size() == 1 && v.number == 0 ? atoms_.meaning(v.terms[0].first) : nullptr;
  return m != nullptr && m->kind == AtomMeaning::Kind::stack_word && m->key == kKeptWord;
}

void ProcedureFlow::check_live(uint32_t to, uint32_t from, const Machine &machine, int64_t level) {
  uint32_t about = to != kNone ? to : from;
  Set live = to != kNone ? u_.liveness.before[to] : u_.liveness.jumped[from];
  // Flags are no results of calls that compilers write.
  bool returned = from != kNone && p_.instrs()[from].facts.flow == Flow::call;
  if (returned && !(u_.evidence.read_by_call(from) & kFlags)) live &= ~kFlags;
  for (const auto &[atom, v] : machine.changed()) {
    if (atom == kRsp) continue;
    if (atom >= 16) {
      if (live & vector(atom % 16)) fail(about, fmt::format("a probe destroys what is live: %xmm{}", atom % 16));
      continue;
    }
    if (atom == kept_ && (level != 0 || inside_ != 0)) continue;  // kept by the frame
    if (!(live & whole(atom))) continue;
    if (!(live & upper(atom)) && machine.keeps_lower_half(atom)) continue;
    fail(about, fmt::format("a probe destroys what is live: register {}", atom));
  }
  for (unsigned f = 0; f < kFlagCount; ++f) {
    if ((live & flag(f)) && !machine.keeps_flag(f)) fail(about, "a probe destroys flags that are live");
  }
}

std::optional<int64_t> ProcedureFlow::woven_stack(uint32_t i) const {
  auto at = frame_ ? frame_->stack(i) : std::nullopt;
  auto level = levels_.find(i);
  return at && level != levels_.end() ? std::optional(*at - level->second) : std::nullopt;
}

bool ProcedureFlow::begins_with_mark(uint32_t s) const {
  while (s != kNone && rewritten_.statements[s].kind != StatementKind::instruction) s = u_.pairing.next(s);
  return s != kNone && rewritten_.statements[s].name == "endbr64";
}

// Data that names code leads to the same instruction as before.
void ProcedureFlow::mention(const Mention &m) {
  uint32_t s = u_.pairing.woven_of(m.statement);
  std::vector<std::string_view> a = assembly::split_operands(p_.source().statements[m.statement].operands);
  std::vector<std::string_view> b = assembly::split_operands(rewritten_.statements[s].operands);
  if (m.operand >= b.size()) fail(m.instruction, "a word that leads to it is gone");
  auto renamed = renamed_symbol(a[m.operand], b[m.operand]);
  std::string_view name = renamed ? renamed->second : p_.source().statements[m.label].name;
  uint32_t label = u_.pairing.label(name, s);
  if (label == kNone && a[m.operand] == b[m.operand]) label = u_.pairing.woven_of(m.label);
  if (label == kNone) fail(m.instruction, "a word that leads to it names nothing");
  if (p_.instrs()[m.instruction].facts.entry_mark && !begins_with_mark(label)) fail(m.instruction, "where tables lead it must begin with endbr64");
  // clang ends functions with a label that tables name for cases which cannot be, and another function may begin right there.
  const Function &f = p_.functions()[function_];
  const bool at_end = m.instruction == f.entry && m.label < p_.label(f.name, 0) && label == u_.pairing.woven_of(m.label);
  if (at_end && u_.evidence.is_compiled(function_)) return;
  go_on(kNone, m.lands ? Transition::Kind::lands : Transition::Kind::named, m.instruction, label, m.label, m.table);
}

// ---- unwind rules ----

// At inserted instructions they follow each move of the stack pointer.
void ProcedureFlow::check_rules(const Transition &t, const Path &path, int64_t after) {
  uint32_t there = t.to != kNone ? t.to : t.from;
  // Control never comes this way.
  if (t.kind == Transition::Kind::falls && t.from != kNone && p_.instrs()[t.from].dead_end) return;
  const Rules &end = u_.woven_rules.before(u_.pairing.woven_of(p_.instrs()[there].first));
  // Where the program has none, those that the weaver adds serve its calls alone.
  if (!end.active || !u_.rules.before(p_.instrs()[there].first).active) return;
  int64_t whole = t.to != kNone ? path.machine.stack_moved().value_or(0) : 0;
  std::string kept = kept_ == kNoRegister ? "" : std::to_string(dwarf_number(kept_));
  for (size_t k = 0; k < path.steps.size(); ++k) {
    const Step &step = path.steps[k];
    const Rules &here = u_.woven_rules.before(step.statement);
    if (!here.active) fail(anchor(t), "a probe without unwind rules");
    check_kept_words(t, path, k, here, step.moved);
    bool follows = here.by_stack_pointer() && end.by_stack_pointer();
    if (here.by_stack_pointer() != end.by_stack_pointer()) fail(anchor(t), "unwind rules of a probe find the frame in another way");
    int64_t expected = end.offset + (follows ? whole - step.moved : 0);
    if (here.base != end.base || here.offset != expected) {
      fail(anchor(t), fmt::format("unwind rules of a probe have the frame's end {} bytes away, which is {}", here.offset, expected));
    }
    const bool same = &here == &end || (here.saved == end.saved && here.others == end.others);
    if (kept.empty() && same) continue;
    std::map<std::string, int64_t> a = here.saved, b = end.saved;
    if (!kept.empty()) {
      auto rule = a.find(kept);
      bool has = rule != a.end();
      if (has && rule->second != -16) fail(anchor(t), "unwind rules of a probe do not tell where the caller's register is");
      bool outside = follows && here.offset == 8;
      bool needed = follows ? here.offset > 8 : after != 0 || t.kind != Transition::Kind::enters;
      if (follows && after == 0 && !is_entering(t)) needed = !step.given_back;       // and after it was given back
      if (follows && is_entering(t)) needed = held_by(path, k, kKeptWord) == kept;  // arguments may be pushed before it
      if (has != needed || (has && outside)) fail(anchor(t), "unwind rules of a probe do not tell where the caller's register is");
      a.erase(kept);
      b.erase(kept);
    }
    // A register that the probe itself has pushed is there.
    if (here.by_stack_pointer()) {
      std::erase_if(a, [&](const auto &rule) { return !b.contains(rule.first) && held_by(path, k, step.moved + here.offset + rule.second) == rule.first; });
    }
    // Of a register that was popped they may say where it still is, or nothing.
    if (follows) {
      const Rules &plain = u_.rules.before(p_.instrs()[there].first);
      std::erase_if(a, [&](const auto &rule) {
        auto was = plain.saved.find(rule.first);
        bool known = was != plain.saved.end() && was->second == rule.second + inside_;
        return known && !b.contains(rule.first) && step.moved + here.offset + rule.second < 0 && is_callers(there, rule.first);
      });
      std::erase_if(b, [&](const auto &rule) { return !a.contains(rule.first) && whole + end.offset + rule.second < 0 && is_callers(there, rule.first); });
    }
    if (a != b || here.others != end.others) fail(anchor(t), "unwind rules of a probe lose a register");
  }
  if (t.to != kNone) check_kept_words(t, path, path.steps.size(), end, whole);
}

// Compilers do not take back the rule of a register that they have popped: below the stack pointer its word keeps the
// value for a while. No rule leads to such a word that the first `steps` inserted instructions have overwritten. (Farther down than the red
// zone any handler of a signal has overwritten it before.)
void ProcedureFlow::check_kept_words(const Transition &t, const Path &path, size_t steps, const Rules &rules, int64_t moved) const {
  if (!rules.by_stack_pointer()) return;
  for (const auto &[reg, at] : rules.saved) {
    if (kept_ != kNoRegister && reg == std::to_string(dwarf_number(kept_))) continue;
    int64_t word = moved + rules.offset + at;
    std::optional<std::string> held = word < 0 && word >= -Machine::kRedZone ? held_by(path, steps, word) : std::nullopt;
    if (held && *held != reg) fail(anchor(t), "unwind rules find a register where a probe has overwritten it");
  }
}

// The register, as unwind rules number it, that the first `steps` inserted instructions have put into a word below the stack pointer
// that they began with; empty: something else. Nothing: they have not written it.
std::optional<std::string> ProcedureFlow::held_by(const Path &path, size_t steps, int64_t word) {
  std::optional<std::string> held;
  for (size_t k = 0; k < steps; ++k) {
    const std::optional<Machine::Spoiled> &spoils = path.steps[k].spoils;
    if (!spoils) continue;
    if (spoils->at == word && !spoils->all_below) held = spoils->holds == kNoRegister ? "" : std::to_string(dwarf_number(spoils->holds));
    if (spoils->all_below && word < spoils->at) held = "";
  }
  return held;
}

// The register, as unwind rules number it, is the caller's again: it has been popped, and the procedure does not touch it any more. That
// somebody wants it would not do: a leaf may keep the caller's in the red zone, and work with its own.
bool ProcedureFlow::is_callers(uint32_t i, const std::string &reg) const {
  const Set registers = registers_of_rule(reg);
  return registers != 0 && is_untouched_from(i, registers);
}

// From the instruction on, up to where the procedure is left.
bool ProcedureFlow::is_untouched_from(uint32_t i, Set what) const {
  if (before_.empty()) find_before();
  auto [known, fresh] = touching_.try_emplace(what);
  if (fresh) known->second = leading_to(what);
  return before_.contains(i) && !known->second.contains(i);
}

std::vector<uint32_t> ProcedureFlow::after(uint32_t i) const {
  std::vector<uint32_t> out;
  const Instr &in = p_.instrs()[i];
  const Flow flow = in.facts.flow;
  if (leaves(i)) return out;
  if ((flow == Flow::next || flow == Flow::conditional || flow == Flow::call) && in.next != kNone) out.push_back(in.next);
  if ((flow == Flow::jump || flow == Flow::conditional) && in.target != kNone) out.push_back(in.target);
  return out;
}

// Of all that can run before the procedure is left.
void ProcedureFlow::find_before() const {
  std::vector<uint32_t> waiting = p_.functions()[function_].instructions;
  for (uint32_t i : waiting) before_[i];
  while (!waiting.empty()) {
    const uint32_t i = waiting.back();
    waiting.pop_back();
    for (uint32_t next : after(i)) {
      auto [found, fresh] = before_.try_emplace(next);
      found->second.push_back(i);
      if (fresh) waiting.push_back(next);
    }
  }
}

// Instructions from which control can come to one that reads or writes any of these, or may do so.
std::unordered_set<uint32_t> ProcedureFlow::leading_to(Set what) const {
  std::unordered_set<uint32_t> out;
  std::vector<uint32_t> waiting;
  auto add = [&](uint32_t i) {
    if (out.insert(i).second) waiting.push_back(i);
  };
  for (const auto &[i, before] : before_) {
    const Facts &x = p_.instrs()[i].facts;
    if (!leaves(i) && (((x.reads | x.writes) & what) || x.unknown || (x.flow == Flow::jump && x.indirect))) add(i);
  }
  while (!waiting.empty()) {
    const uint32_t i = waiting.back();
    waiting.pop_back();
    for (uint32_t before : before_.at(i)) add(before);
  }
  return out;
}

// At instructions of the original they are what they were, or the same in the wider frame.
void ProcedureFlow::check_own_rules(uint32_t i) const {
  const Instr &in = p_.instrs()[i];
  const Rules &before = u_.rules.before(in.first);
  const Rules &after = u_.woven_rules.before(u_.pairing.woven_of(in.first));
  if (!before.active) return;
  Rules expected = before;
  if (inside_ != 0) {
    bool begins = levels_.at(i) == 0 && !leaves(i);
    bool gone = levels_.at(i) == 0 && before.by_stack_pointer() && before.offset == 8;
    if (!begins) {
      for (auto &[reg, at] : expected.saved) at -= kWidening;
    }
    if (!gone && !begins) {
      expected.offset += kWidening;
      if (kept_ != kNoRegister) expected.saved[std::to_string(dwarf_number(kept_))] = -16;
    }
  }
  // A register whose place is below the stack pointer has been popped and is its caller's again: a probe may have pushed
  // over that place, and then takes the rule back.
  if (expected.by_stack_pointer()) {
    std::erase_if(expected.saved, [&](const auto &rule) { return rule.second < -expected.offset && !after.saved.contains(rule.first) && is_callers(i, rule.first); });
  }
  if (!after.personality.starts_with("__chord_personality")) fail(i, "the runtime is not told when the unwinder removes its frame");
  expected.personality = after.personality;
  if (!(expected == after)) fail(i, "its unwind rules are not those of the original");
}

}  // namespace chord::verify
