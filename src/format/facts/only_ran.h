// How a map says that a procedure was built for coverage, whether flags or counters tell what ran of it.
#pragma once

#include <string_view>

#include "format/map/map.h"

namespace chord::format {

// Procedure::no_paths of those that have counters.
inline constexpr std::string_view kBuiltForCoverage = "the build only says what ran (--coverage)";

inline bool is_built_for_coverage(const Procedure &p) {
  return p.plan.placement == core::Placement::coverage || p.no_paths == kBuiltForCoverage;
}

}  // namespace chord::format
