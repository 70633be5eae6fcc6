// What listings of inlined functions read: where instructions lie in the woven code, and what was inlined there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/source/inlined.h"
#include "analysis/source/woven_places.h"
#include "report/tables/table.h"

namespace chord::report {

inline constexpr const char *kInlinedNote = "inlined functions are not called, so their calls are not counted; their instructions are";

// Debug information of each module, and what no listing of it can say.
struct InlineTables {
  analysis::WovenPlaces places;
  std::vector<std::unique_ptr<analysis::InlineTable>> of_module;
  std::string problem;

  explicit InlineTables(const analysis::Program &program) : places(program) {
    bool any = false;
    for (uint32_t m = 0; m < program.modules.size(); ++m) {
      of_module.push_back(std::make_unique<analysis::InlineTable>(places.file(m)));
      any = any || !of_module.back()->calls().empty();
      if (problem.empty()) problem = of_module.back()->problem();
    }
    if (any) problem = kInlinedNote;
  }
  // By instruction of the procedure: its innermost inlined call in its module's table; core::kNone: none.
  std::vector<uint32_t> innermost(const analysis::CountedProcedure &procedure) const {
    return of_module[procedure.module]->of_instructions(procedure, places.addresses(procedure));
  }
};

// The listing of chord report --by=inlined, for those who have the tables.
Table list_inlined(const analysis::Program &program, const InlineTables &tables);

}  // namespace chord::report
