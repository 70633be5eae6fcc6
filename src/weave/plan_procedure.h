// From a procedure and the places a probe can stand to the plan: what to count.
#pragma once

#include <optional>
#include <string>

#include "assembly/procedure.h"
#include "core/plan.h"
#include "weave/options.h"
#include "weave/sites.h"

namespace chord::weave {

std::optional<core::Plan> plan_procedure(const assembly::Unit &unit, const assembly::Procedure &procedure,
                                         const Sites &sites, const Options &options, std::string &why_not);

}  // namespace chord::weave
