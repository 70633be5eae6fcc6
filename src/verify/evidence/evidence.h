// What a function may leave destroyed when it returns, and what a call reads: from evidence in the text, not from what the
// usual convention says.
#pragma once

#include <vector>

#include "verify/evidence/conventions.h"
#include "verify/evidence/jumps.h"
#include "verify/evidence/liveness.h"
#include "verify/program/program.h"

namespace chord::verify {

class Evidence : public CallRules {
 public:
  explicit Evidence(const Program &program);

  Set live_at_return(uint32_t function, Set wanted) const override;
  Set always_wanted(uint32_t function) const override;
  Set read_by_call(uint32_t instruction) const override;
  bool is_compiled(uint32_t function) const override { return function != kNone && conventions_[function].compiled; }

  const Jumps &jumps() const { return jumps_; }

 private:
  bool add_written_by_callees(uint32_t function);
  bool begins_inline(uint32_t instruction) const;

  const Program &p_;
  Jumps jumps_;
  std::vector<Set> written_;       // by function, with what it calls
  std::vector<Convention> conventions_;  // by function
};

}  // namespace chord::verify
