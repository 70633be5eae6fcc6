// What of a program no map speaks of, for the summary and for `chord doctor`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/objects/plain_code.h"
#include "analysis/program/program.h"

namespace chord::report {

// Of all modules that can be read, unit by unit.
std::vector<analysis::PlainUnit> plain_units(const analysis::Program &program);
// Of the procedures that are listed with a reason, and their fragments.
std::set<std::string> names_of_skipped(const std::vector<format::UnitMap> &units);

// Empty if there are none; lines of at most `width` columns, if they can be.
std::string plain_text(const std::vector<analysis::PlainUnit> &units, size_t width = 0);
nlohmann::ordered_json plain_json(const std::vector<analysis::PlainUnit> &units);

}  // namespace chord::report
