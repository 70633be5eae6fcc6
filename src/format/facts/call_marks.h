// Marks: what a call leaves for whom it calls (abi/chord_abi.h, "Traces"), and a procedure compares.
//
// A mark is made of a symbol's name alone, so files that are compiled separately agree. It is never 0. Names of one program that have the same mark
// are seen by whoever reads its traces.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/map/map.h"

namespace chord::format {

uint32_t call_mark(std::string_view name);

// What the instruction leaves; 0: nothing.
uint32_t mark_left_by(const Procedure &procedure, uint32_t instruction);

// What the procedure finds if it was expected; 0: it does not compare.
uint32_t mark_of_entry(const Procedure &procedure);

}  // namespace chord::format
