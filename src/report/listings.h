// The listings of `chord report --by=…`: facts in, tables out. Every row's fields
// are described in docs/report.md; counts of procedures whose numbers contradict each
// other are missing cells (null in JSON), with `exact` false.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "report/table.h"

namespace chord::report {

Table list_functions(const analysis::Program &program);
Table list_files(const analysis::Program &program);
Table list_lines(const analysis::Program &program);
Table list_blocks(const analysis::Program &program);
Table list_edges(const analysis::Program &program);
Table list_instructions(const analysis::Program &program);
Table list_opcodes(const analysis::Program &program);
Table list_loops(const analysis::Program &program);

struct Listing {
  std::string_view by;
  Table (*make)(const analysis::Program &);
  bool texts;  // needs the instructions' texts
};
const std::vector<Listing> &listings();

// The source name of a linkage name; the name itself if it is none of C++'s.
std::string demangle(const std::string &name);

// The source file a procedure begins in, else its translation unit.
std::string_view file_of(const analysis::CountedProcedure &procedure);

}  // namespace chord::report
