// Do the anchors of an object fit its maps and its code? An anchor that was damaged would
// otherwise look like a function that the linker dropped.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "format/map/map.h"

namespace chord::analysis {

using AddressRanges = std::vector<std::pair<uint64_t, uint64_t>>;  // [begin, end)

// Empty, or what is wrong. `code`: the object's executable sections; none are known of a process image.
std::string anchor_defect(const std::vector<format::UnitMap> &units, const std::vector<format::Anchor> &anchors,
                          const AddressRanges &code);

}  // namespace chord::analysis
