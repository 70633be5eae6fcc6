// What a function may leave destroyed when it returns, what a call reads, and where indirect jumps lead:
// from evidence in the text, not from what the usual convention says.
#pragma once

#include <vector>

#include "verify/evidence/conventions.h"
#include "verify/program/program.h"
#include "verify/program/tables.h"

namespace chord::verify {

class Evidence {
 public:
  explicit Evidence(const Program &program);

  // Everything that somebody may want of what the function leaves behind. `wanted`: what its callers
  // in this unit read after their calls.
  Set live_at_return(uint32_t function, Set wanted) const;

  // What calls preserve and the function never touches is its callers' throughout: the unwinder may go through it at any
  // instruction (cancellation, a handler that throws), even where no way leads to a return.
  Set always_wanted(uint32_t function) const;

  // What whoever is called, or jumped to, from here may read. Nothing but flags is destroyed by a call for certain.
  Set read_by_call(uint32_t instruction) const;

  bool is_compiled(uint32_t function) const { return function != kNone && conventions_[function].compiled; }

  // An indirect jump that goes on in its function for certain, and one that leaves it. Of others
  // neither is known.
  bool stays(uint32_t instruction) const { return stays_[instruction]; }
  bool leaves(uint32_t instruction) const { return leaves_[instruction]; }
  // Where an indirect jump leads if it stays.
  const std::vector<uint32_t> &targets(uint32_t instruction) const { return tables_.targets(instruction); }
  const Tables &tables() const { return tables_; }
  const std::vector<bool> &may_stay() const { return may_stay_; }  // by instruction

 private:
  void judge_jumps(uint32_t function);
  bool add_written_by_callees(uint32_t function);
  bool names_nothing_here(uint32_t instruction) const;
  bool reads_table(uint32_t instruction) const;

  const Program &p_;
  Tables tables_;
  std::vector<Set> written_;       // by function, with what it calls
  std::vector<Convention> conventions_;  // by function
  std::vector<bool> stays_, leaves_, may_stay_;  // by instruction
};

}  // namespace chord::verify
