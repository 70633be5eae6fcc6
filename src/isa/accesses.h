// Which memory an instruction reads and writes, in the order in which it does, as the models of caches count it.
//
// Counted: every operand in memory that is read or written, a read and write of one place (add to memory, xchg, lock) once;
// the words that push, pop, call, ret, leave move to and from the stack; both strings of movs and cmps. Not
// counted: addresses that are only computed (lea, long nops) and hints (prefetch, clflush). These are the conventions of valgrind's
// lackey and cachegrind, but that they see a locked instruction as two accesses to its place; the second always hits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/isa.h"

namespace chord::isa {

struct Access {
  enum class Place : uint8_t {
    operand,    // the instruction's operand in memory
    pushed,     // below the stack pointer: that is lower by `bytes` afterwards
    stack_top,  // at the stack pointer
    frame,      // at the frame pointer
    source,     // string instructions: at their source and target
    target,
  } place = Place::operand;
  uint32_t bytes = 0;
  bool writes = false;
  bool reads = false;
};

struct Accesses {
  std::vector<Access> list;
  bool repeated = false;     // by a count in a register, each time all of the list
  bool thread_segment = false;  // the operand is relative to the thread pointer
  // The operand's address is base + index + number, nothing else; else they are to be taken from its text.
  bool plain = false;
  unsigned base = kNoRegister, index = kNoRegister;
  uint8_t scale = 0;
  int64_t number = 0;
  Resources registers = 0;   // that any of the addresses is made of
  uint32_t opcode_at = 0;    // byte that a linker changes if it makes the instruction one without the access
  uint8_t opcode = 0;
  std::string_view unknown;  // why the accesses cannot be told; empty: they can
};

Accesses accesses_of(std::string_view bytes);

}  // namespace chord::isa
