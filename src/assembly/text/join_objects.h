// Two relocatable objects in one, as `ld -r` does it but without changing anything else: every section stays
// as it is, groups included, and references by name are the same symbols.
//
// The first object's sections keep their numbers. The second's come after them, but for unwind information, which
// goes to the end of the first's, and what says nothing (empty sections that are in every object).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chord::assembly {

// Nothing if one of them is no object for x86-64 in its usual form, or has what this does not know.
std::optional<std::string> join_objects(std::string_view first, std::string_view second);

}  // namespace chord::assembly
