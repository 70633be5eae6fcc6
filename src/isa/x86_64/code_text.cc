#include "isa/code_text.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdint>

namespace chord::isa {
namespace {

CodeSize operator+(CodeSize a, CodeSize b) { return {a.least + b.least, a.most + b.most}; }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool fits_a_byte(std::string_view number) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() && end == number.data() + number.size() && value >= INT8_MIN && value <= INT8_MAX;
}

// What an operand in memory adds to the instruction.
CodeSize size_of_address(std::string_view operands) {
  const uint32_t segment = has(operands, "%fs:") ? 1 : 0;
  const size_t open = operands.find('(');
  if (open == std::string_view::npos) return segment != 0 ? CodeSize{6, 6} : CodeSize{};  // no base: a further byte says so
  if (has(operands, "(%rip)")) return {segment + 4, segment + 4};
  size_t begin = operands.substr(0, open).find_last_of(":, $");
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  const std::string_view displacement = operands.substr(begin, open - begin), inside = operands.substr(open, operands.find(')', open) - open);
  const uint32_t index = has(inside, ",") || has(inside, "%rsp") || has(inside, "%r12") ? 1 : 0;
  if (displacement.empty()) return {segment + index, segment + index + 1};
  const uint32_t bytes = fits_a_byte(displacement) ? 1 : 4;
  return {segment + index + bytes, segment + index + bytes};
}

CodeSize size_of_constant(std::string_view mnemonic, std::string_view operands) {
  if (!operands.starts_with('$')) return {};
  if (mnemonic.starts_with("movabs")) return {8, 8};
  if (mnemonic.starts_with("mov") && !mnemonic.ends_with('b')) return {3, 4};
  const bool byte = mnemonic.ends_with('b') || mnemonic.starts_with("sh") || fits_a_byte(operands.substr(1, operands.find(',') - 1));
  return byte ? CodeSize{1, 1} : CodeSize{3, 4};  // some have no byte for the register then
}

}  // namespace

std::string_view wish_for_long_jump() { return "{disp32} "; }

bool has_two_encodings(std::string_view mnemonic) { return mnemonic.starts_with('j') && !mnemonic.ends_with("cxz"); }

CodeSize size_of_jump() { return {2, 6}; }

CodeSize estimated_size(std::string_view mnemonic, std::string_view operands) {
  if (mnemonic == "endbr64") return {4, 4};
  if (operands.empty()) return {1, 3};
  if (has_two_encodings(mnemonic) && !operands.starts_with('*')) return size_of_jump();
  const CodeSize address = size_of_address(operands);
  if (mnemonic.starts_with("call")) return has(operands, "(") ? CodeSize{2, 2} + address : CodeSize{5, 6};
  const bool new_register = has(operands, "%r8") || has(operands, "%r9") || has(operands, "%r1");
  if (mnemonic.starts_with("push") || mnemonic.starts_with("pop")) {
    if (operands.starts_with('$')) return CodeSize{1, 1} + size_of_constant(mnemonic, operands);
    return has(operands, "(") ? CodeSize{2, 3} + address : new_register ? CodeSize{2, 2} : CodeSize{1, 1};
  }
  const uint32_t prefix = new_register || mnemonic.ends_with('q') ? 1 : 0;
  const CodeSize rest = address + size_of_constant(mnemonic, operands);
  if (has(operands, "%xmm") || mnemonic.starts_with("lock") || mnemonic.starts_with("rep")) return CodeSize{3, 6} + rest;
  const bool two_bytes = mnemonic.starts_with("cmov") || mnemonic.starts_with("set") || mnemonic.starts_with("movz") || mnemonic.starts_with("nop");
  return CodeSize{prefix + 2, prefix + (two_bytes ? 3u : 2u)} + rest;
}

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
