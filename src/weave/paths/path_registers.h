// Registers in which a procedure can keep the number of the path it is on. isa::kNoRegister: none.
#pragma once

#include <vector>

#include "assembly/graph/procedure.h"
#include "assembly/unit/liveness.h"
#include "weave/facts/sites.h"

namespace chord::weave {

// One that the procedure neither uses nor has to preserve, and that nobody around it wants. None if
// it makes calls: their callees may use any.
unsigned free_register(const assembly::Procedure &procedure, const assembly::Liveness &liveness,
                       const std::vector<Site> &sites);

// A callee-saved one that the procedure does not use, and that others of the unit are seen to save.
unsigned unused_saved_register(const assembly::Unit &unit, const assembly::Procedure &procedure);

}  // namespace chord::weave
