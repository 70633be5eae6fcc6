// Traces: every path that control takes is written down (abi/chord_abi.h, "Traces").
//
// A procedure writes a token where paths part (core/sequences/trace_tokens.h), or numbers them (core/sequences/path_tokens.h), one when it is entered, unless a reader knows that from the call
// (weave/facts/implied_entries.h), and a bit when a call has come back. They are written several at once, as late as the order of the trace allows
// (weave/trace/late.h). Nothing is written on the way out: a reader that has followed control to the procedure's end knows.
// What is not traced, or not woven at all, needs no care: it is outside for the reader, like any library, and what it calls
// says itself that it has been entered.
#pragma once

#include <string>
#include <vector>

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

std::string plan_trace(const ProcedureFacts &facts, ProcedurePlan &plan);
// The thread's state.
std::string trace_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans);

}  // namespace chord::weave
