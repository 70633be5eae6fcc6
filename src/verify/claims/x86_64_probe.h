// Inserted instructions, read from their text: the few that probes are made of. Whatever else
// stands in the text cannot be proved to do no harm, and is not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/text/source.h"
#include "verify/program/x86_64_facts.h"

namespace chord::verify {

// symbol@relocation - minus + number, as far as there are any.
struct Expression {
  std::string_view symbol, relocation, minus;
  int64_t number = 0;
};
std::optional<Expression> read_expression(std::string_view text);

struct Operand {
  enum class Kind : uint8_t { none, constant, general, half, byte, vector, memory } kind = Kind::none;
  unsigned reg = kNoRegister;  // general, half (its lower half), byte (%al), vector
  Expression value;            // constant, or the displacement
  // memory
  bool thread = false;  // %fs:
  bool code_relative = false;  // to the instruction pointer
  unsigned base = kNoRegister, index = kNoRegister;
  unsigned scale = 1;
};

enum class Op : uint8_t {
  add, subtract, increment, decrement, address, move, push, pop, push_flags, pop_flags,
  flags_to_ah, ah_to_flags, set_overflow, compare, test, multiply, shift_left, shift_right, mask, round_down, clear, jump_zero, jump_other,
  jump_sign, jump_above, jump_not_below, jump, call, nothing, entry_mark, vector_clear, vector_ones, vector_subtract, vector_low, vector_high_down,
  vector_extract_high, set_byte, set_condition, widen_byte, read_code, take_place,
};

struct ProbeInstruction {
  Op op = Op::nothing;
  bool locked = false;
  bool narrow = false;            // 32 bits, or 8
  std::vector<Operand> operands;  // as written: sources first
  std::string_view target;        // jumps and calls
  std::string_view condition;     // set_condition, set_overflow
};

constexpr bool is_conditional(Op op) { return op >= Op::jump_zero && op <= Op::jump_not_below; }

// Nothing if it is not one that probes are made of.
std::optional<ProbeInstruction> read_probe(const assembly::Statement &statement);
// The operand in memory of an instruction of the program; nothing if it is written in a way that is not read.
std::optional<Operand> memory_operand(const assembly::Statement &statement);

}  // namespace chord::verify
