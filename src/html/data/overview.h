// What the first view shows, complete in itself: some kilobytes whatever the size of the program.
//
// It stands in the page as plain JSON before everything else, so the page opens without unpacking anything, and while the
// browser still reads the rest. docs/html.md describes the members; page/src/overview.tsx shows them.
#pragma once

#include <string>

#include "html/data/head.h"

namespace chord::html {

// The JSON holds no `<`, so it can stand inside of a script element.
std::string put_overview(const Facts &facts, const DataOptions &options, const Tables &tables);

}  // namespace chord::html
