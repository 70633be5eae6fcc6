// Writes the plan of a procedure: the edits that put its insertions into the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weave/exits/early_exits.h"
#include "weave/plan/edits.h"
#include "weave/plan/procedure_plan.h"
#include "weave/compose/spots.h"

namespace chord::weave {

struct WovenProcedure {
  Edits edits;
  std::vector<uint32_t> marks;             // marked instructions, fragment by fragment
  std::vector<SpotWriter::Placed> spots;   // and where they are, in order
  std::vector<std::string> personalities;  // routines that ours must pass control to
  bool lacks_rules = false;                // some fragment has no unwind information
};

WovenProcedure weave_procedure(const ProcedureFacts &facts, const ProcedurePlan &plan);

}  // namespace chord::weave
