// The listings of `chord report --by=…`: facts in, tables out. Every row's fields
// are described in docs/report.md; counts of procedures whose numbers contradict each
// other are missing cells (null in JSON), with `exact` false.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/program/program.h"
#include "analysis/source/lines.h"
#include "report/tables/procedures.h"
#include "report/tables/table.h"

namespace chord::report {

Table list_functions(const analysis::Program &program);
// `sum_copies`: see analysis/source/functions.h.
Table list_functions_with(const analysis::Program &program, bool sum_copies);
Table list_files(const analysis::Program &program);
Table list_folders(const analysis::Program &program);
Table list_lines(const analysis::Program &program);
Table table_of_lines(const analysis::Program &program, const analysis::LineTable &lines);
Table list_blocks(const analysis::Program &program);
Table list_edges(const analysis::Program &program);
Table list_instructions(const analysis::Program &program);
Table list_opcodes(const analysis::Program &program);
Table list_classes(const analysis::Program &program);
Table list_loops(const analysis::Program &program);
// Functions that were inlined, and the places where they were (report/contexts/inlined.cc).
Table list_inlined(const analysis::Program &program);
Table list_inlined_sites(const analysis::Program &program);

struct Listing {
  std::string_view by;
  Table (*make)(const analysis::Program &);
  bool texts;  // needs the instructions' texts
};
const std::vector<Listing> &listings();

}  // namespace chord::report
