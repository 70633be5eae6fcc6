// Calling contexts: what makes a procedure count in a record of the context it was called in
// (chord_abi.h), its counters and where they stand unchanged.
//
// The record's address is kept as the number of a path is (weave/paths/paths.h): in a register that
// nobody wants, in a callee-saved one, or in a word of the frame. So it belongs to the
// activation, whatever becomes of that. A callee is told where it was called by the address of a
// slot in its caller's record, which the caller leaves in a thread-local word. Code that is not
// woven leaves the word alone, so what it calls back is taken to be called where it was called
// itself; that is why a procedure puts the word back when it returns.
//
// A procedure whose frame cannot be made wider has no record: it counts as without contexts, and
// what it calls is taken to be called by its caller.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

// Modes (weave/modes.h): first the records, which counters are then found in, and, when it is known how many counters
// there are, what names calls. A procedure that can have no record says why in the plan.
std::string plan_context_records(const ProcedureFacts &facts, ProcedurePlan &plan);
std::string plan_context_calls(const ProcedureFacts &facts, ProcedurePlan &plan);

// What the runtime must know to make a procedure's records.
std::string context_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan);
// Once in a unit: the word that names calls, how contexts are told apart, and which procedures keep a record.
std::string context_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans);

}  // namespace chord::weave
