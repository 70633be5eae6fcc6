// Lines of assembly that are no probes: jumps, marks, and the small functions that a unit defines for the runtime. And how long lines are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chord::isa {

std::string jump_to(std::string_view label);

// Of a jump the assembler chooses one of two encodings, by the distance: the short one if the target is within reach.
bool has_two_encodings(std::string_view mnemonic);
inline constexpr uint32_t kReachOfShortJumps = 127;
// In front of a jump: the long one it shall be. That changes nothing about what the jump does.
std::string_view wish_for_long_jump();

// How many bytes an instruction has, as far as its text tells.
struct CodeSize {
  uint32_t least = 0, most = 0;
};
CodeSize size_of_jump();
// Of an instruction of a probe (AT&T syntax), by estimate: nothing but sizes may depend on it.
CodeSize estimated_size(std::string_view mnemonic, std::string_view operands);

// What must stand first where control arrives by a jump through a register or a table (-fcf-protection).
std::string entry_mark();

// An instruction that does nothing and carries a number, a symbol's offset from the thread pointer, or its distance from the
// instruction, for the runtime to read.
std::string note(uint64_t number);
std::string note_thread_offset(std::string_view symbol);
std::string note_distance(std::string_view symbol);

// The body of a function that returns the offset of `symbol` from the thread pointer.
std::string return_thread_offset(std::string_view symbol);
// Likewise of two symbols, the second in the second register of results.
std::string return_thread_offsets(std::string_view first, std::string_view second);
// The body of a function that jumps to `target` with the address of `symbol` as one more argument: the sixth.
std::string jump_with_address(std::string_view symbol, std::string_view target);

// Names of registers in unwind rules.
bool is_stack_pointer_rule(std::string_view name);
bool is_frame_pointer_rule(std::string_view name);

// An operand in memory whose address is the stack or frame pointer plus a constant; the stack pointer's.
bool is_stack_operand(std::string_view operand);
bool is_stack_pointer_operand(std::string_view operand);

}  // namespace chord::isa
