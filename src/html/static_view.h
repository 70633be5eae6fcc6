// What the page says without JavaScript: totals, the hottest functions, and the source of the hottest
// of them with counts. Plain HTML, every string escaped.
#pragma once

#include <string>

#include "html/data/data.h"

namespace chord::html {

std::string static_view(const Facts &facts, const DataOptions &options);

}  // namespace chord::html
