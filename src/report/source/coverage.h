// Listings of programs of which only what ran is known: whether, instead of how often.
#pragma once

#include "report/tables/table.h"

namespace chord::report {

// The same rows with `ran` in place of all counts. Throws Error if the listing is about nothing but counts.
Table as_coverage(Table counted);

}  // namespace chord::report
