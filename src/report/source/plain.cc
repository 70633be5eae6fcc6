#include "report/source/plain.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "report/tables/names.h"
#include "report/tables/procedures.h"
#include "report/tables/render.h"

namespace chord::report {
namespace {

constexpr size_t kMostUnits = 10, kMostNames = 4, kLongestName = 36;

// The first names that fit into `room` columns, one at least; 0: no limit.
std::string first_names(const std::vector<std::string> &names, size_t room) {
  std::string out;
  size_t shown = 0;
  for (; shown < std::min(names.size(), kMostNames); ++shown) {
    const std::string name = fit_name(base::familiar_name(base::demangle(names[shown])), kLongestName);
    if (shown != 0 && room != 0 && display_width(out) + display_width(name) + 5 > room) break;
    out += (shown == 0 ? "" : ", ") + name;
  }
  return names.size() > shown ? out + ", …" : out;
}

}  // namespace

std::set<std::string> names_of_skipped(const std::vector<format::UnitMap> &units) {
  std::set<std::string> names;
  for (const format::UnitMap &unit : units) {
    for (const format::Procedure &p : unit.procedures) {
      if (p.skipped.empty()) continue;
      names.insert(p.name);
      for (const format::Fragment &fragment : p.fragments) names.insert(fragment.name);
    }
  }
  return names;
}

std::vector<analysis::PlainUnit> plain_units(const analysis::Program &program) {
  std::vector<analysis::PlainUnit> all;
  for (const analysis::Module &module : program.modules) {
    if (module.file.empty()) continue;
    try {
      for (analysis::PlainUnit &unit : analysis::plain_code(module.file, names_of_skipped(module.units))) all.push_back(std::move(unit));
    } catch (const base::Error &) {
      // It was there a moment ago, and what was read of it is reported.
    }
  }
  return all;
}

std::string plain_text(const std::vector<analysis::PlainUnit> &units, size_t width) {
  if (units.empty()) return "";
  std::string out = "\nnot counted, since no map speaks of them (built without chord, or not selected):\n";
  for (size_t i = 0; i < std::min(units.size(), kMostUnits); ++i) {
    const analysis::PlainUnit &unit = units[i];
    const std::string head = fmt::format("  {:>6}  function{} {}: ", group_digits(unit.functions.size()), unit.functions.size() == 1 ? "" : "s",
                                         unit.name.empty() ? "without debug information" : "of " + unit.name);
    out += head + first_names(unit.functions, width == 0 ? 0 : std::max(width, head.size() + 1) - head.size()) + "\n";
  }
  if (units.size() > kMostUnits) out += fmt::format("          and {} more files\n", units.size() - kMostUnits);
  return out;
}

nlohmann::ordered_json plain_json(const std::vector<analysis::PlainUnit> &units) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const analysis::PlainUnit &unit : units) out.push_back({{"unit", unit.name}, {"functions", unit.functions}});
  return out;
}

}  // namespace chord::report
