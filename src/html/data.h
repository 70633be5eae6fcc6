// All that the page knows about a program, as JSON texts to be packed one by one.
//
// The first text is the index: totals, and one column for each fact about functions, files,
// loops, opcodes and calls. The others hold what is shown only when somebody looks at it: the
// code of a few functions, or a few files. So the page opens after unpacking the index alone.
// docs/html.md describes the members; tests/e2e/html_data.sh compares them with `chord report`.
#pragma once

#include <string>
#include <vector>

#include "html/facts.h"

namespace chord::html {

struct Comparison;  // html/compare.h

struct DataOptions {
  bool sources = true;                    // put the source into the page
  const Comparison *comparison = nullptr;  // with an older profile
};

// The index first.
std::vector<std::string> gather(const Facts &facts, const DataOptions &options);

}  // namespace chord::html
