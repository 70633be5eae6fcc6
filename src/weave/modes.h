// The table of modes: everything that can be counted, and what each kind of counting contributes.
//
// A mode looks at the facts of a procedure (weave/facts/facts.h) and adds to its plan (weave/plan/procedure_plan.h): insertions of code and
// where they stand, what goes into the map, data for the runtime. Nothing outside the table knows a mode by name: a new
// one is a file and a row. Rows are planned in order, so a mode can build on what those before it have decided.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

struct Mode {
  const char *name;
  bool (*is_on)(const Options &options);
  // Returns why the procedure must be left alone; empty: it need not.
  std::string (*plan)(const ProcedureFacts &facts, ProcedurePlan &plan);
  // Data of a woven procedure, and data that a unit has once, as text; null: none.
  std::string (*record_text)(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan);
  std::string (*unit_text)(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans);
};

std::span<const Mode> modes();

// Parts of the runtime that only some objects carry (runtime/README.md): runtime/NAME/.
struct RuntimeGroup {
  const char *name;
  bool (*is_needed)(const Options &options);
};
std::span<const RuntimeGroup> runtime_groups();

}  // namespace chord::weave
