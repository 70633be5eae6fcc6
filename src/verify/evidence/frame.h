// Where the stack pointer, and whatever is made from it, points to at each instruction of a
// function: distances from the stack pointer at the entry. Needed where the weaver makes a frame wider.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "verify/program/program.h"
#include "verify/program/tables.h"

namespace chord::verify {

struct StackAddress {
  bool known = false;
  int64_t at = 0;      // from the stack pointer at the entry, in the original
  bool above = false;  // made by an operand that was moved: points above the words that were added
  bool operator==(const StackAddress &) const = default;
};
using StackState = std::array<StackAddress, 16>;  // by general register

class Frame {
 public:
  // `moved`: instructions whose memory operand the weaver has moved; `stays`: by instruction, indirect
  // jumps that may go on in the function.
  Frame(const Program &program, const Tables &tables, uint32_t function, std::set<uint32_t> moved, const std::vector<bool> *stays);

  // Empty, or what goes wrong in a frame that is two words wider.
  const std::string &fault() const { return fault_; }
  uint32_t fault_at() const { return fault_at_; }

  std::optional<int64_t> stack(uint32_t instruction) const { return at(instruction, kRsp); }
  std::optional<int64_t> frame_pointer(uint32_t instruction) const { return at(instruction, kRbp); }

 private:
  std::optional<int64_t> at(uint32_t instruction, unsigned reg) const;
  void flow(uint32_t from, const StackState &state);
  void land(const Function &f, const Instr &call, const StackState &after);
  StackState behind(uint32_t instruction, const StackState &state) const;
  void check(uint32_t instruction);

  const Program &p_;
  uint32_t function_;
  std::set<uint32_t> moved_;
  std::map<uint32_t, StackState> before_;
  std::vector<uint32_t> waiting_;
  std::string fault_;
  uint32_t fault_at_ = 0;
};

}  // namespace chord::verify
