// All that the page knows about a program, as JSON texts to be packed one by one.
//
// The first text is the index: totals, and one column for each fact about functions, files,
// loops, opcodes and calls. The others hold what is shown only when somebody looks at it: the
// code of a few functions, or a few files. So the page opens after unpacking the index alone.
// docs/html.md describes the members; tests/e2e/html_data.sh compares them with `chord report`.
#pragma once

#include <string>
#include <vector>

#include "analysis/lines.h"
#include "analysis/program.h"
#include "html/call_graph.h"

namespace chord::html {

// What is gathered once for a program and used for every part of the page.
struct Facts {
  explicit Facts(const analysis::Program &program);

  const analysis::Program &program;
  analysis::FileTable files;
  analysis::LineTable lines;
  CallGraph calls;
  std::vector<uint32_t> order;     // procedures as the page numbers them: most executed first
  std::vector<uint32_t> position;  // by procedure: its number in the page
};

struct Comparison;  // html/compare.h

struct DataOptions {
  bool sources = true;                    // put the source into the page
  const Comparison *comparison = nullptr;  // with an older profile
};

// The index first.
std::vector<std::string> gather(const Facts &facts, const DataOptions &options);

// Totals over the whole program, as the summary of `chord report` has them.
struct Totals {
  uint64_t functions = 0, called = 0, calls = 0, instructions = 0, never = 0, blocks = 0, blocks_never = 0;
};
Totals total(const analysis::Program &program);

// Blocks with code, and those of them that never ran.
struct BlockCount {
  uint64_t blocks = 0, never = 0;
};
BlockCount count_blocks(const analysis::CountedProcedure &p);

}  // namespace chord::html
