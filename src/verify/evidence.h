// What a function may leave destroyed when it returns, and what a call destroys: from evidence in
// the text, not from what a convention says.
#pragma once

#include <vector>

#include "verify/program.h"

namespace chord::verify {

class Evidence {
 public:
  explicit Evidence(const Program &program);

  // Everything that somebody may want of what the function leaves behind. `wanted`: what its callers
  // in this unit read behind their calls.
  Set live_at_return(uint32_t function, Set wanted) const;

  // What surely does not survive the call.
  Set destroyed_by(const Instr &call) const;

  // An indirect jump that goes on in its function for certain, and one that leaves it. Of others
  // neither is known.
  bool stays(uint32_t instruction) const { return stays_[instruction]; }
  bool leaves(uint32_t instruction) const { return leaves_[instruction]; }
  const std::vector<bool> &may_stay() const { return may_stay_; }  // by instruction

 private:
  void judge_jumps(uint32_t function);
  bool names_nothing_here(uint32_t instruction) const;
  bool reads_table(uint32_t instruction) const;

  const Program &p_;
  std::vector<Set> written_;       // by function
  std::vector<bool> calls_out_;    // by function: it calls somebody who is not in this unit
  std::vector<bool> stays_, leaves_, may_stay_;  // by instruction
};

}  // namespace chord::verify
