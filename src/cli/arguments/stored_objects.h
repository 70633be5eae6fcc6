// What reading needs of programs, put into profiles.
#pragma once

#include <vector>

#include "format/profile/profile.h"

namespace chord::cli {

// Those that the profile holds already; with `all`, those of every other module that ran, too. Warns of what is not there.
std::vector<format::StoredObject> objects_of(const format::Profile &profile, bool all);

}  // namespace chord::cli
