#include "isa/code_text.h"

#include <fmt/core.h>

namespace chord::isa {

std::string jump_to(std::string_view label) { return fmt::format("\tjmp\t{}\n", label); }

std::string entry_mark() { return "\tendbr64\n"; }

std::string note(uint64_t number) { return fmt::format("\tnopl\t{:#x}(%rax)\n", number); }
std::string note_thread_offset(std::string_view symbol) { return fmt::format("\tnopl\t{}@tpoff(%rax)\n", symbol); }

std::string note_distance(std::string_view symbol) { return fmt::format("\tnopl\t{}-.(%rax)\n", symbol); }

std::string return_thread_offset(std::string_view symbol) {
  return entry_mark() + fmt::format("\tmovq {}@gottpoff(%rip),%rax\n\tret\n", symbol);
}

std::string return_thread_offsets(std::string_view first, std::string_view second) {
  return entry_mark() + fmt::format("\tmovq {}@gottpoff(%rip),%rax\n\tmovq {}@gottpoff(%rip),%rdx\n\tret\n", first, second);
}

std::string jump_with_address(std::string_view symbol, std::string_view target) {
  return entry_mark() + fmt::format("\tmovq {}@GOTPCREL(%rip),%r9\n\tjmp {}\n", symbol, target);
}

// DWARF's numbers are names, too.
bool is_stack_pointer_rule(std::string_view name) { return name == "7" || name == "%rsp" || name == "rsp"; }
bool is_frame_pointer_rule(std::string_view name) { return name == "6" || name == "%rbp" || name == "rbp"; }

bool is_stack_pointer_operand(std::string_view operand) { return operand.ends_with("(%rsp)"); }
bool is_stack_operand(std::string_view operand) { return is_stack_pointer_operand(operand) || operand.ends_with("(%rbp)"); }

}  // namespace chord::isa
