// All that the page knows about a program, as JSON texts.
//
// The overview is what the first view shows. The first chunk is the index: one column for each fact about functions, files,
// loops, opcodes and calls. The others hold what is shown only when somebody looks at it: the code of a few functions, or a few
// files. So the page opens with the overview alone, and unpacks one chunk for each place that is looked at.
// docs/html.md describes the members; tests/e2e/report/html_data.sh compares them with `chord report`.
#pragma once

#include <string>
#include <vector>

#include "html/data/head.h"
#include "html/facts/facts.h"

namespace chord::html {

struct Gathered {
  std::string overview;             // without any `<`
  std::vector<std::string> chunks;  // to be packed one by one
};
Gathered gather(const Facts &facts, const DataOptions &options);

}  // namespace chord::html
