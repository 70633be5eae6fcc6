// `chord html`: one file with everything in it.
//
// The page itself (page/ in the repository) is built once and embedded into chord; here it gets a
// title, its static part and its data.
#pragma once

#include <string>

#include "analysis/program/program.h"
#include "html/facts/compare.h"

namespace chord::html {

struct PageOptions {
  bool sources = true;                     // put the source into the page
  const analysis::Program *old = nullptr;  // compare with it
};

// `program` (and `old`) must have been loaded with texts.
std::string make_page(const analysis::Program &program, const PageOptions &options);

}  // namespace chord::html
