// What is to be done to one procedure: the sum of what the modes (weave/modes.h) have contributed. Writing it
// (weave/compose/weave_procedure.h) takes no further decision.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/counters/plan.h"
#include "format/map/map.h"
#include "isa/isa.h"
#include "weave/facts/facts.h"
#include "weave/plan/insertions.h"
#include "weave/plan/widen_frame.h"

namespace chord::weave {

struct ContextWeaving;
struct RecordPaths;

// Code out of the way that a probe jumps to now and then.
struct OutsideCode {
  Site site;
  core::EdgeId edge = core::kNone;
  isa::Snippet code;
  std::string label;
  std::string place;       // label that tells unwinding where it stands (isa::Check); empty: none is needed
  int depth = 0;           // bytes that the probe has pushed when it jumps
  uint32_t counts = core::kNone;  // what its `tail` follows the count of (Insertion::number); kNone: nothing
};

struct ProcedurePlan {
  // What modes before have left: where counters are found, and which registers they took.
  explicit ProcedurePlan(const ProcedureFacts &facts) : liveness(facts.liveness), sites(facts.sites) {}
  ProcedurePlan() = default;

  assembly::Liveness liveness;
  Sites sites;
  bool entries_known = false;  // all its callers count their calls of it (weave/facts/implied_entries.h)

  core::Plan counters;      // goes into the map
  bool is_counted = false;  // some mode has made that plan
  std::vector<Insertion> insertions;
  std::vector<OutsideCode> outside;
  std::vector<format::Held> held;  // registers that hold counters
  bool shares_registers = false;   // some of them two
  std::set<uint32_t> widened_steps;  // instructions whose step is to be made in 64 bits

  // A wider frame, for a number or an address that an activation keeps (weave/plan/widen_frame.h).
  isa::PathHolder holder;
  std::vector<uint32_t> above;     // instructions whose operands move with it
  std::vector<Replacement> moved;  // and these operands
  std::set<uint32_t> restores;     // edges out whose stub must put unwind rules back

  std::vector<format::MetricSums> metrics;  // in the order they lie in memory (weave/metrics/metric_sums.h)

  std::string note;               // at each fragment's end, for the runtime
  std::vector<std::string> ties;  // records besides its own that live as long as the procedure
  std::string no_paths;           // why its paths, or contexts, are not counted
  std::shared_ptr<const ContextWeaving> contexts;  // what the two modes of weave/contexts/contexts.h share; none: no record
  std::shared_ptr<const RecordPaths> record_paths;  // weave/contexts/record_paths.h; none: the holder is the record's address
};

// Would what is inserted push a branch that reaches one byte far out of reach of its target?
bool short_branch_breaks(const ProcedureFacts &facts, const std::vector<Insertion> &insertions);

// Adds the insertion that takes the wider frame down on a way out; the unwind rules after it are as they were.
void put_frame_end(const ProcedureFacts &facts, Insertion insertion, bool unwinding, ProcedurePlan &plan);

}  // namespace chord::weave
