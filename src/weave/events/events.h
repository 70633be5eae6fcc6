// Event counting: which probes keep one counter per kind of event exact at every call.
//
// Ball's increments (core/paths/increments.h) make a counter exact when a procedure ends and
// give a constant that is missing at any other point. Across procedures the constant
// must be zero wherever other code can look: at each call. Adding it before the call
// and taking it away after it would cost two probes a call. Instead a call is treated as
// what it is to the counter: an end and a new beginning. A block is split after each
// of its calls; the part that makes the call gets an edge to the exit, the part after
// it an edge from the entry, and no edge joins the two. The spanning tree of that graph
// then spends one probe on a stretch of straight code between two calls, and corrections
// around calls disappear into the probes of neighbouring edges.
//
// Invariant: in a callee's first instruction, at a landing pad, after a call (however
// often it returns) and after the return, counter = events so far, the call or return
// itself included. A call that never returns leaves nothing to be put right.
//
// All probes of a kind add to one counter, and an addition to memory waits for the last one
// to the same place, some five cycles: longer than most programs take from probe to probe. So
// the counter is kept in CHORD_EVENT_PARTS places, whose sum it is, and neighbouring probes
// use different ones.
//
// Budgets (Options::budget): a probe whose increment is positive also looks whether its part
// of the counter has come to its limit. That is enough: the increments along a cycle, a call and
// what follows it included, add up to its events, so every cycle with events has such a
// probe, and so has every way from a procedure's entry to its end. No loop and no recursion
// escapes. The probe knows, as a constant, what the counter lacks at its place.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

// A mode (weave/modes.h).
std::string plan_events(const ProcedureFacts &facts, ProcedurePlan &plan);

// Ties the runtime's records of the counted kinds to the procedure's, in the section being written: they live as long as it.
std::string event_ties_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan);
// Those records; once for a unit.
std::string event_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans);

}  // namespace chord::weave
