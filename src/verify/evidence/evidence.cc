#include "verify/evidence/evidence.h"

#include "verify/program/usual_convention.h"

namespace chord::verify {

Evidence::Evidence(const Program &program) : p_(program), jumps_(program) {
  written_.assign(p_.functions().size(), 0);
  for (uint32_t f = 0; f < p_.functions().size(); ++f) {
    for (uint32_t i : p_.functions()[f].instructions) written_[f] |= p_.instrs()[i].facts.writes;
  }
  for (bool more = true; more;) {
    more = false;
    for (uint32_t f = 0; f < p_.functions().size(); ++f) more = add_written_by_callees(f) || more;
  }
  conventions_ = find_conventions(p_, jumps_);
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

Set Evidence::live_at_return(uint32_t f, Set wanted) const {
  // Whoever knows what it writes (gcc's -fipa-ra) expects nothing of that.
  Set nobodys = conventions_[f].free & (written_[f] | ~wanted);
  if (p_.functions()[f].callers_known) nobodys |= ~(kPreserved | wanted);
  return kPreserved | kResults | (kEverything & ~nobodys);
}

Set Evidence::always_wanted(uint32_t f) const { return kPreserved & ~written_[f]; }

// No compiler hands flags to inline assembly: a call it begins with finds none that anybody has set for it.
bool Evidence::begins_inline(uint32_t i) const {
  return i == 0 || p_.instrs()[i - 1].next != i || !p_.source().statements[p_.instrs()[i - 1].last].inline_asm;
}

Set Evidence::read_by_call(uint32_t i) const {
  const Instr &in = p_.instrs()[i];
  const assembly::Statement &s = p_.source().statements[in.last];
  if (in.function == kNone || !conventions_[in.function].compiled) return kEverything;
  if (s.inline_asm) return begins_inline(i) ? kEverything & ~kFlags : kEverything;
  if (conventions_[in.function].unusual || names_regcall(s.operands)) return kEverything & ~kFlags;
  return kArguments | kPreserved;
}

}  // namespace chord::verify
