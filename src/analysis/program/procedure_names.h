// Which procedure a call names: one of the caller's own file, or a global one.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/program/program.h"

namespace chord::analysis {

class ProcedureNames {
 public:
  explicit ProcedureNames(const Program &program) {
    for (uint32_t n = 0; n < program.procedures.size(); ++n) {
      const CountedProcedure &p = program.procedures[n];
      local_.emplace(std::pair(p.unit, std::string_view(p.map->name)), n);
      if (p.map->global) global_.emplace(p.map->name, n);
    }
  }

  // Index in Program::procedures; kNone: it is not woven.
  uint32_t find(const CountedProcedure &caller, std::string_view name) const {
    if (auto found = local_.find({caller.unit, name}); found != local_.end()) return found->second;
    auto found = global_.find(name);
    return found == global_.end() ? core::kNone : found->second;
  }

 private:
  std::map<std::pair<const format::UnitMap *, std::string_view>, uint32_t> local_;
  std::map<std::string_view, uint32_t> global_;
};

}  // namespace chord::analysis
