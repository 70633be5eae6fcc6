#include "verify/evidence/evidence.h"

#include <algorithm>

#include "verify/evidence/frame.h"
#include "verify/program/usual_convention.h"

namespace chord::verify {

// Through a word that is no table, or in a function none of whose inner labels is named anywhere.
bool Evidence::names_nothing_here(uint32_t i) const {
  const Instr &in = p_.instrs()[i];
  if (in.function == kNone || p_.functions()[in.function].named.empty()) return true;
  return in.facts.memory.present && in.facts.memory.code_relative;
}

// In the straight code in front of the jump, or in the jump, is an address made of an index and a
// base, or a name of data is used that holds addresses in this function.
bool Evidence::reads_table(uint32_t i) const {
  const Instr &jump = p_.instrs()[i];
  if (leaves_[i] || jump.function == kNone) return false;
  if (jump.facts.memory.present) return jump.facts.memory.index != kNoRegister;
  for (uint32_t k = i, steps = 0; k-- > 0 && steps < 8; ++steps) {
    const Instr &in = p_.instrs()[k];
    if (in.function != jump.function || in.next != k + 1 || in.facts.flow != Flow::next) break;
    bool scaled = in.facts.memory.present && in.facts.memory.index != kNoRegister && in.facts.loads && in.facts.memory.size >= 4;
    if (scaled) return true;
  }
  return false;
}

Evidence::Evidence(const Program &program) : p_(program), tables_(program) {
  written_.assign(p_.functions().size(), 0);
  stays_.assign(p_.instrs().size(), false);
  leaves_.assign(p_.instrs().size(), false);
  for (uint32_t f = 0; f < p_.functions().size(); ++f) {
    const Function &function = p_.functions()[f];
    for (uint32_t i : function.instructions) written_[f] |= p_.instrs()[i].facts.writes;
    judge_jumps(f);
  }
  for (bool more = true; more;) {
    more = false;
    for (uint32_t f = 0; f < p_.functions().size(); ++f) more = add_written_by_callees(f) || more;
  }
  for (bool leaving : leaves_) may_stay_.push_back(!leaving);
  conventions_ = find_conventions(p_, *this);
}

// Whoever knows what a function writes knows it of what that calls; of what is not here, only what the usual convention says.
bool Evidence::add_written_by_callees(uint32_t f) {
  Set before = written_[f];
  for (uint32_t i : p_.functions()[f].instructions) {
    const Instr &in = p_.instrs()[i];
    if (in.facts.flow != Flow::call) continue;
    uint32_t g = in.target == kNone ? kNone : p_.instrs()[in.target].function;
    written_[f] |= g == kNone ? kEverything & ~kPreserved : written_[g] & ~kPreserved;
  }
  return written_[f] != before;
}

// Where neither is plain, the stack tells: a frame that is still there is not left by a jump, and one
// that has been taken down is not that of the table's targets.
void Evidence::judge_jumps(uint32_t f) {
  const Function &function = p_.functions()[f];
  std::vector<uint32_t> open;
  for (uint32_t i : function.instructions) {
    const Facts &x = p_.instrs()[i].facts;
    if (x.flow != Flow::jump || !x.indirect) continue;
    leaves_[i] = names_nothing_here(i) && !tables_.known(i);
    stays_[i] = tables_.known(i) || reads_table(i);
    if (!leaves_[i] && !stays_[i]) open.push_back(i);
  }
  if (open.empty()) return;
  Frame frame(p_, tables_, f, {}, &stays_);
  for (uint32_t i : open) {
    std::optional<int64_t> at = frame.stack(i);
    if (!at) continue;
    stays_[i] = *at != 0;
    leaves_[i] = *at == 0 && std::all_of(function.named.begin(), function.named.end(), [&](uint32_t to) {
                   std::optional<int64_t> there = frame.stack(to);
                   return there && *there != 0;
                 });
  }
}

Set Evidence::live_at_return(uint32_t f, Set wanted) const {
  // Whoever knows what it writes (gcc's -fipa-ra) expects nothing of that.
  Set nobodys = conventions_[f].free & (written_[f] | ~wanted);
  if (p_.functions()[f].callers_known) nobodys |= ~(kPreserved | wanted);
  return kPreserved | kResults | (kEverything & ~nobodys);
}

Set Evidence::always_wanted(uint32_t f) const { return kPreserved & ~written_[f]; }

Set Evidence::read_by_call(uint32_t i) const {
  const Instr &in = p_.instrs()[i];
  const assembly::Statement &s = p_.source().statements[in.last];
  if (in.function == kNone || !conventions_[in.function].compiled || s.inline_asm) return kEverything;
  if (conventions_[in.function].unusual || names_regcall(s.operands)) return kEverything & ~kFlags;
  return kArguments | kPreserved;
}

}  // namespace chord::verify
