// Which names lead to the first instruction of a procedure. A function may have several:
// labels in one place (constructors of a complete object and of a base are often one),
// and names set to another (.set, .equ, =), also through a third.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "assembly/graph/procedure.h"

namespace chord::assembly {

std::unordered_map<std::string_view, uint32_t> name_entries(const Unit &unit);

}  // namespace chord::assembly
