// The edits that put one procedure's probes into its text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly/procedure.h"
#include "core/plan.h"
#include "weave/edits.h"
#include "weave/brackets.h"
#include "weave/events.h"
#include "weave/loop_counters.h"
#include "weave/options.h"
#include "weave/sites.h"
#include "weave/spots.h"

namespace chord::weave {

// Labels that a woven procedure's records refer to; `n` is its number in the unit.
std::string start_label(uint32_t n, size_t fragment);
std::string end_label(uint32_t n, size_t fragment);
std::string mark_label(uint32_t n, uint32_t instruction);
std::string counters_label(uint32_t n);
std::string record_label(uint32_t n);
std::string numbers_label(uint32_t n);
std::string spot_label(uint32_t n, uint32_t spot);
std::string totals_record_label(uint32_t n);

struct WovenProcedure {
  Edits edits;
  std::vector<uint32_t> marks;             // marked instructions, fragment by fragment
  std::vector<SpotWriter::Placed> spots;   // and where they are, in order
  std::vector<std::string> personalities;  // routines that ours must pass control to
  bool lacks_rules = false;                // some fragment has no unwind information
};

// The routine that stands in for `personality`.
std::string personality_label(const std::string &personality);

struct PathWeaving;
struct ContextWeaving;

// `paths` and `contexts` may be null: they are not counted.
WovenProcedure weave_procedure(const assembly::Unit &unit, const assembly::Procedure &procedure, uint32_t n,
                               const core::Plan &plan, const Sites &sites, const std::vector<double> &weights,
                               const JumpedLabels &jumped, const LoopCounters &loops, const std::vector<Probe> &probes,
                               const Brackets &brackets, const PathWeaving *paths, const ContextWeaving *contexts,
                               const Options &options);

}  // namespace chord::weave
