// Weaving that is proved before anybody assembles it: what cannot be proved is left alone with the reason, and the unit is planned
// anew without it; or it is an error (weave::Options::verify).
#pragma once

#include <functional>
#include <vector>

#include "assembly/graph/procedure.h"
#include "verify/verify.h"
#include "weave/weave.h"

namespace chord::driver {

using Proof = std::function<std::vector<verify::Fault>(const verify::Claim &)>;

// Procedures that are left alone are so in `unit`, too. Throws base::Error for what cannot be proved if that is an error. Ends: each
// time at least one procedure less is woven.
weave::Woven weave_proved(const assembly::Source &source, assembly::Unit &unit, const weave::Options &options, const weave::UnitFiles &around,
                          const Proof &proof = verify::prove);

}  // namespace chord::driver
