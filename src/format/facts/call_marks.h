// Marks: what a call, or a jump that leaves the procedure, leaves for whom it goes to (abi/chord_abi.h, "Traces"), and a procedure compares.
//
// A mark is made of a symbol's name alone, so files that are compiled separately agree; that of a procedure which only its own file can name is made of its key, by which
// it differs from its namesakes in others, and the plan says which calls leave it (core::Plan::own_calls). It is never 0. Procedures of one program that have the same mark
// are seen by whoever reads its traces.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/map/map.h"

namespace chord::format {

uint32_t call_mark(std::string_view name);
uint32_t own_mark(uint64_t key);

// Whether the instruction calls, or jumps to, a procedure by its name, and goes there whenever it is executed.
bool names_callee(const Instruction &instruction);

// What the instruction leaves; 0: nothing.
uint32_t mark_left_by(const Procedure &procedure, uint32_t instruction);

// What the procedure finds if it was expected; 0: it does not compare.
uint32_t mark_of_entry(const Procedure &procedure);

}  // namespace chord::format
