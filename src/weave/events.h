// Event counting: which probes keep one counter per kind of event exact at every call.
//
// Ball's increments (core/increments.h) make a counter exact when a procedure ends and
// give a constant that is missing at any other point. Across procedures the constant
// must be zero wherever other code can look: at each call. Adding it before the call
// and taking it away behind would cost two probes a call. Instead a call is treated as
// what it is to the counter: an end and a new beginning. A block is split behind each
// of its calls; the part that makes the call gets an edge to the exit, the part behind
// it an edge from the entry, and no edge joins the two. The spanning tree of that graph
// then spends one probe on a stretch of straight code between two calls, and corrections
// around calls disappear into the probes of neighbouring edges.
//
// Invariant: in a callee's first instruction, at a landing pad, behind a call (however
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

#include <optional>
#include <string>
#include <vector>

#include "assembly/liveness.h"
#include "assembly/procedure.h"
#include "weave/options.h"
#include "weave/sites.h"

namespace chord::weave {

// A probe that is no counter of the plan.
struct Probe {
  Site site;
  uint32_t edge = core::kNone;  // of the procedure; stubs are made for an edge
  isa::Snippet snippet;
  // With a budget: code outside the way, in a stub of that label, and the label that
  // tells unwinding where it stands (isa::Check).
  isa::Snippet outside;
  std::string outside_label;
  std::string place_label;
};

// `weights`: how often each edge of the procedure is expected to be taken; `costs`: of each
// instruction, if that kind is counted; `n`: the procedure's number in the unit. Nothing if it
// cannot be woven, with the reason.
std::optional<std::vector<Probe>> plan_events(const assembly::Unit &unit,
                                              const assembly::Procedure &procedure,
                                              const assembly::Liveness &liveness, const Sites &sites,
                                              const std::vector<double> &weights,
                                              const std::vector<int64_t> &costs, const Options &options, uint32_t n,
                                              std::string &why_not);

// The runtime's record of each counted kind, as assembler text; once for a unit.
std::string emit_event_records(const Options &options);
// Ties those records to the one with that label, in the section being written: they then live as long as it.
std::string tie_event_records(const Options &options, const std::string &record);

}  // namespace chord::weave
