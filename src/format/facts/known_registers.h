// General registers whose values are known, as instructions are followed one after the other: who writes addresses down (weave/trace/addresses.h) and
// who reads them (analysis/trace/accesses.h) ask the same of it. The writer looks at which are known alone.
//
// Known are registers that an address which was written is made of, and whatever instructions make of those and of constants.
#pragma once

#include <array>
#include <cstdint>

#include "isa/addresses.h"

namespace chord::format {

class KnownRegisters {
 public:
  static constexpr uint32_t kAll = 0xffff;

  KnownRegisters() = default;
  explicit KnownRegisters(uint32_t known) : known_(known) {}

  uint32_t known() const { return known_; }
  void keep(uint32_t registers) { known_ &= registers; }
  bool knows(const isa::AddressForm &form) const { return (form.registers() & ~known_) == 0; }
  uint64_t value(unsigned reg) const { return values_[reg]; }
  void set(unsigned reg, uint64_t value) {
    known_ |= 1u << reg;
    values_[reg] = value;
  }

  // Where the instruction ends, and the thread pointer.
  struct Place {
    uint64_t end = 0, thread = 0;
  };
  uint64_t address(const isa::AddressForm &form, const Place &place) const {
    uint64_t at = static_cast<uint64_t>(form.number) + (form.from_end ? place.end : 0) + (form.from_thread ? place.thread : 0);
    if (form.base != isa::kNoRegister) at += values_[form.base];
    if (form.index != isa::kNoRegister) at += values_[form.index] * form.scale;
    return at;
  }

  // The address was written: of its registers, the one that was not known is. (Of an index that is multiplied the upper bits are lost.)
  void learn(const isa::AddressForm &form, uint64_t address, const Place &place) {
    const uint32_t lacking = form.registers() & ~known_;
    const bool base = form.base != isa::kNoRegister && lacking == 1u << form.base && form.base != form.index;
    const bool index = !base && form.scale == 1 && form.index != isa::kNoRegister && lacking == 1u << form.index && form.base != form.index;
    if (!base && !index) return;
    isa::AddressForm rest = form;
    (base ? rest.base : rest.index) = isa::kNoRegister;
    set(base ? form.base : form.index, address - this->address(rest, place));
  }

  // `kept`: what calls leave as it was.
  void execute(const isa::AddressFacts &facts, bool calls, uint32_t kept, const Place &place) {
    const bool sums = facts.into != isa::kNoRegister && knows(facts.sum);
    const uint64_t sum = sums ? address(facts.sum, place) : 0;
    known_ &= facts.forgets ? 0 : ~facts.changes;
    if (sums && !facts.forgets) set(facts.into, facts.half ? sum & UINT32_MAX : sum);
    if (calls) known_ &= kept;
  }

 private:
  uint32_t known_ = 0;
  std::array<uint64_t, 16> values_{};
};

}  // namespace chord::format
