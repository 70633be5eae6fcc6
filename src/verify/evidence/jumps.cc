#include "verify/evidence/jumps.h"

#include <algorithm>

#include "verify/evidence/frame.h"

namespace chord::verify {

// In a function none of whose inner labels is named anywhere, through a word that is no table, or through one found by a pointer
// where no such word can hold an address of the function's own.
bool Jumps::names_nothing_here(uint32_t i) const {
  const Instr &in = p_.instrs()[i];
  if (in.function == kNone || p_.functions()[in.function].named.empty()) return true;
  const MemoryOperand &word = in.facts.memory;
  if (!word.present) return false;
  return word.code_relative || (word.index == kNoRegister && tables_.keeps_addresses_out_of_memory(in.function));
}

// In the straight code in front of the jump, or in the jump, is an address made of an index and a
// base, or a name of data is used that holds addresses in this function.
bool Jumps::reads_table(uint32_t i) const {
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

Jumps::Jumps(const Program &program) : p_(program), tables_(program) {
  stays_.assign(p_.instrs().size(), false);
  leaves_.assign(p_.instrs().size(), false);
  for (uint32_t f = 0; f < p_.functions().size(); ++f) judge(f);
  for (bool leaving : leaves_) may_stay_.push_back(!leaving);
}

// Where neither is plain, the stack tells: a frame that is still there is not left by a jump, and one
// that has been taken down is not that of the table's targets.
void Jumps::judge(uint32_t f) {
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

}  // namespace chord::verify
