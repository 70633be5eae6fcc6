// Proof that the unwind rules of a procedure whose frame was made wider (weave/plan/widen_frame.h)
// still lead to the caller and to its registers: part of weave/verify.h.
//
// At every instruction of the original: the frame's end is two words further away, what was
// saved is two words further below it, and the caller's register that the probes use is
// directly below the return address. Where the frame is not yet made or gone again, the
// rules are the original's. At every inserted instruction, as far as the stack pointer tells
// where the frame ends, the rules follow each of its moves, and tell of the register from its
// push to its pop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assembly/procedure.h"
#include "assembly/unwind_info.h"

namespace chord::weave {

class WidenedRules {
 public:
  // `woven_of`: original statement -> woven statement; `holder`: register of the probes.
  WidenedRules(const assembly::Source &original, const assembly::Source &woven, const assembly::Procedure &procedure,
               const std::vector<uint32_t> &woven_of, isa::Resources holder);

  // The instruction at a statement of the original; `outside`: the frame is not yet made, or is gone.
  // Empty, or what is wrong.
  std::string instruction_fault(uint32_t fragment, uint32_t statement, bool outside) const;

  // Inserted woven statement from which the stack pointer moves by `distance` until control is at the
  // instruction `target` of the original.
  std::string probe_fault(uint32_t statement, const assembly::Instruction &target, int64_t distance) const;

 private:
  struct Part {
    uint32_t section = 0, begin = 0, end = 0;  // woven statements
    assembly::UnwindInfo original, woven;
  };
  const Part *part_of(uint32_t statement) const;

  const assembly::Source &woven_;
  const std::vector<uint32_t> &woven_of_;
  std::vector<Part> parts_;  // by fragment
  std::optional<unsigned> kept_;  // DWARF number of the caller's register; nothing: the number is in memory
};

}  // namespace chord::weave
