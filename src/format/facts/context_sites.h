// The calls of a procedure as its records of calling contexts have them (chord_abi.h): weaving,
// which gives each a slot, and analysis, which says where a context was called, ask the same
// question.
#pragma once

#include <cstdint>
#include <vector>

#include "format/map/map.h"

namespace chord::format {

// Instructions, ascending: calls, and jumps that are calls (tail calls).
std::vector<uint32_t> context_sites(const Procedure &procedure);

}  // namespace chord::format
