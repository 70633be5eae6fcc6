// What an interruption at some instruction of woven code means: where the activation
// stood in the original code, and what its counters lacked in memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "analysis/objects/woven_code.h"
#include "analysis/program/measured_procedure.h"
#include "chord_abi.h"

namespace chord::analysis {

// All frames that were interrupted at one program counter.
struct Interruption {
  int64_t count = 0;  // those that ended minus those that were there already
  bool registers_known = true;
  std::array<uint64_t, CHORD_LAST_REGISTER + 1> registers{};  // sums, each times its count, modulo 2^64
};

// Adds the exits, and to the counters what registers held and what was due. False if no
// instruction of the procedure is at `offset` of the part.
bool add_interruption(const format::Procedure &procedure, const format::Anchor &anchor, uint32_t part,
                      uint32_t offset, const Interruption &interruption, MeasuredProcedure &measured);

// Counters that the program's own registers counted up in steps, back to counts. Names
// the first that is no multiple of its step.
std::string undo_steps(const format::Procedure &procedure, std::vector<uint64_t> &counters);

}  // namespace chord::analysis
