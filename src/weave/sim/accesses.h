// The accesses to memory of a procedure, put together as they are asked about: those of one group go to neighbouring bytes, one after
// the other, with no other access in between, so that one comparison answers for all of them if it finds the bytes in the
// line that was used last.
//
// Within a group all addresses are base + index * scale + number with registers that do not change from its first instruction to its
// last, but for the stack pointer, whose moves by constants are followed. A group is no wider than a quarter of a line, or its widest
// access. It ends with its block and with a call, whose callee makes accesses of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/accesses.h"
#include "weave/plan/procedure_plan.h"

namespace chord::weave {

struct AccessGroup {
  struct Member {
    uint32_t instruction = 0;
    isa::Access access;
    int64_t plus = 0;  // from the first member's address
  };
  std::vector<Member> members;
  isa::Accesses about;        // the first member's instruction
  int64_t low = 0, high = 0;  // bytes, likewise
  uint32_t before = 0;        // instruction in front of which to ask: the cheapest place
  bool strings = false;       // a repeated string instruction, alone
};

// All groups, in text order. `why_not`: an access that cannot be followed.
std::vector<AccessGroup> group_accesses(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t line, std::string &why_not);

// The bytes of an instruction in the original code.
std::string_view bytes_of(const ProcedureFacts &facts, const assembly::Instruction &instruction);

// Linkers rewrite the instructions that ask for a thread-local address as one: nothing can stand between.
bool is_bound_to_next(const ProcedureFacts &facts, uint32_t instruction);
// A load of an address that is known when the program is linked becomes another instruction. What asks for it stands right in front of it.
bool linker_may_change(const ProcedureFacts &facts, uint32_t i);
// Linkers know two instructions that have such an operand, and refuse all others. Neither has anything after its displacement.
bool is_thread_offset(const ProcedureFacts &facts, uint32_t i);

}  // namespace chord::weave
