// From a procedure and the places a probe can stand to the plan: what to count.
#pragma once

#include <optional>
#include <string>

#include "assembly/procedure.h"
#include "core/plan.h"
#include "format/map.h"
#include "weave/loop_counters.h"
#include "weave/options.h"
#include "weave/sites.h"

namespace chord::weave {

// `map` describes the same procedure, `mnemonics` are its unit's. `unmatched` tells
// that weights were to be measured ones and the procedure has none. `offers`: counters
// that may come cheaper than their sites make them (weave/loop_counters.h). `called`: how
// often the procedure is entered is known without a counter (weave/implied_entries.h).
std::optional<core::Plan> plan_procedure(const assembly::Procedure &procedure, const format::Procedure &map,
                                         const std::vector<std::string> &mnemonics, const Sites &sites,
                                         const std::vector<LoopPlanner::Offer> &offers, bool called, const Options &options,
                                         bool &unmatched, std::string &why_not);

// How often each edge of the procedure is expected to be taken; what plan_procedure
// goes by. The graph must have no defect.
std::vector<double> edge_weights(const assembly::Procedure &procedure, const format::Procedure &map,
                                 const std::vector<std::string> &mnemonics, const Options &options);

}  // namespace chord::weave
