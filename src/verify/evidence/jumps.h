// Which indirect jumps go on in their function and which leave it, and where they lead, as far as the text shows.
#pragma once

#include <vector>

#include "verify/program/program.h"
#include "verify/program/tables.h"

namespace chord::verify {

class Jumps {
 public:
  explicit Jumps(const Program &program);

  // An indirect jump that goes on in its function for certain, and one that leaves it. Of others
  // neither is known.
  bool stays(uint32_t instruction) const { return stays_[instruction]; }
  bool leaves(uint32_t instruction) const { return leaves_[instruction]; }
  // Where an indirect jump leads if it stays.
  const std::vector<uint32_t> &targets(uint32_t instruction) const { return tables_.targets(instruction); }
  const Tables &tables() const { return tables_; }
  const std::vector<bool> &may_stay() const { return may_stay_; }  // by instruction

 private:
  void judge(uint32_t function);
  bool names_nothing_here(uint32_t instruction) const;
  bool reads_table(uint32_t instruction) const;

  const Program &p_;
  Tables tables_;
  std::vector<bool> stays_, leaves_, may_stay_;  // by instruction
};

}  // namespace chord::verify
