// What models of caches and branches are to be told of an instruction (docs/models.md), read from its bytes.
//
// Made from the decoder's raw answers, as x86_64_facts.h is: not what the weaver believes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "verify/program/x86_64_facts.h"

namespace chord::verify {

inline constexpr unsigned kStackPointer = kRsp, kFramePointer = kRbp;
// Of string instructions: source, target and, if they are repeated, how often.
inline constexpr std::array<unsigned, 3> kStringRegisters = {kRsi, kRdi, kRcx};

// That functions keep for their callers, if they change them.
inline constexpr std::array<unsigned, 6> kKeptForCallers = {kRbx, kRbp, 12, 13, 14, 15};

struct Access {
  enum class Place : uint8_t {
    operand,
    pushed,  // right below the stack pointer
    popped,  // at the stack pointer
    frame,   // at the frame pointer
    source,  // of a string instruction
    target,
  } place = Place::operand;
  uint32_t bytes = 0;
};

struct Accesses {
  std::vector<Access> list;  // in the order in which they are made
  bool repeated = false;     // by a count in a register, each time all of the list
  bool known = true;         // false: which they are is not
  uint32_t opcode_at = 0;    // the byte by which a linker's other instruction differs
};

Accesses accesses_of(std::string_view bytes);

// What is needed to know a value: general registers, and else only constants and where the code is. Nothing: it cannot be known from those.
std::optional<Set> parts_of_operand(std::string_view bytes);  // the address of the explicit operand in memory
struct MadeValue {
  unsigned into = kNoRegister;  // no register gets such a value
  Set parts = 0;
};
MadeValue made_value(std::string_view bytes);

// The condition of a conditional branch, as setCC has it; "rcxz", "ecxz" of those that ask for a count; empty: another one.
std::string_view condition_of(std::string_view bytes);

}  // namespace chord::verify
