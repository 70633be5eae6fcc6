#include "html/facts/compare.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace chord::html {
namespace {

using analysis::CountedProcedure;

bool same_code(const format::Procedure &a, const format::Procedure &b) {
  if (a.blocks != b.blocks || a.edges != b.edges || a.instructions.size() != b.instructions.size()) return false;
  return std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    [](const format::Instruction &x, const format::Instruction &y) {
                      return x.fragment == y.fragment && x.offset == y.offset && x.size == y.size && x.text == y.text;
                    });
}

}  // namespace

Comparison compare(const analysis::Program &old, const analysis::Program &now) {
  Comparison result;
  result.old = &old;
  result.matches.resize(now.procedures.size());
  std::unordered_map<std::string, std::vector<const CountedProcedure *>> by_name;
  for (const CountedProcedure &p : old.procedures) by_name[p.map->name].push_back(&p);
  std::unordered_set<const CountedProcedure *> used;
  auto match = [&](bool same_unit) {
    for (size_t p = 0; p < now.procedures.size(); ++p) {
      if (result.matches[p].old != nullptr) continue;
      for (const CountedProcedure *candidate : by_name[now.procedures[p].map->name]) {
        if (used.contains(candidate) || (same_unit && candidate->unit->unit != now.procedures[p].unit->unit)) continue;
        result.matches[p] = {candidate, same_code(*candidate->map, *now.procedures[p].map)};
        used.insert(candidate);
        break;
      }
    }
  };
  match(true);
  match(false);
  for (const CountedProcedure &p : old.procedures) {
    if (!used.contains(&p)) result.gone.push_back(&p);
  }
  return result;
}

}  // namespace chord::html
