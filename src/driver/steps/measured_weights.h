// `--weights=PROFILE`: the profile of an earlier build as weights for this one.
//
// Solving a whole program takes too long to be done for every translation unit, so the
// driver does it once and leaves the result beside the profile (PROFILE.weights), where
// the assembler stand-in and further compilations find it until the profile changes.
// The program that the profile is of must still be there that first time.
#pragma once

#include <memory>
#include <string>

#include "format/inputs/weights.h"

namespace chord::driver {

// The weights file of a profile, made if it is missing or out of date; `path` itself if
// it is one already. Throws Error.
std::string prepare_weights(const std::string &path);

// Throws Error.
std::shared_ptr<const format::Weights> read_weights(const std::string &path);

}  // namespace chord::driver
