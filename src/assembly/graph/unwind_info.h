// The unwind rules (.cfi_* directives) in force at each statement of a fragment, so
// that code put elsewhere in the fragment can be given the rules of the place it
// belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/graph/procedure.h"

namespace chord::assembly {

struct UnwindRules {
  bool active = false;           // between .cfi_startproc and .cfi_endproc
  std::string frame_register;    // the frame is at this register + offset,
  int64_t frame_offset = 0;
  std::string frame_escape;      // or given by this .cfi_escape
  std::map<std::string, std::string> registers;  // register -> directive that set its rule

  bool frame_follows_stack_pointer() const;
  // Compilers do not take back the rule of a register that they have popped: its place, which is below
  // the stack pointer then, keeps the value for a while. The directives for code that pushes there, and
  // those that put the rules back after it.
  std::string forget_popped() const;
  std::string recall_popped() const;
  // Of those whose place is in the word that is so far from the frame's end.
  std::string forget_popped_in(int64_t word) const;
  bool operator==(const UnwindRules &) const = default;

 private:
  std::vector<std::string> popped() const;
  std::map<std::string, int64_t> places_of_popped() const;
};

class UnwindInfo {
 public:
  UnwindInfo(const Source &source, const Fragment &fragment);

  // Rules in force for code placed directly before the statement.
  const UnwindRules &before(uint32_t statement) const;

 private:
  std::vector<std::pair<uint32_t, UnwindRules>> changes_;  // from this statement on
};

// Statement at which the fragment's rules start: its .cfi_startproc if that stands in
// front of the label (as gcc writes it for cold fragments), else the label.
uint32_t start_of_rules(const Source &source, const Fragment &fragment);

// Does the directive say what the instruction before it did to the frame?
bool follows_instruction(const Statement &directive);

// Directives that lead from one set of rules to another. Not all can: what .cfi_escape says of
// registers is not understood, and so cannot be taken back.
bool can_change_rules(const UnwindRules &from, const UnwindRules &to);
std::string change_rules(const UnwindRules &from, const UnwindRules &to);

// Where a procedure has its stack frame set up, as its unwind rules say. They are read
// when first asked for, once for each fragment.
class FrameRules {
 public:
  FrameRules(const Source &source, const Procedure &procedure) : source_(source), procedure_(procedure) {}

  // Does a frame stand at the instruction? Nothing if there are no rules.
  std::optional<bool> stands_at(const Instruction &instruction);

 private:
  const Source &source_;
  const Procedure &procedure_;
  std::map<uint32_t, UnwindInfo> by_fragment_;
};

}  // namespace chord::assembly
