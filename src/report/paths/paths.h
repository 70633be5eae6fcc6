// Listings of paths (`chord paths`): facts in, tables and text out.
#pragma once

#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/tables/render.h"
#include "report/tables/table.h"

namespace chord::report {

// One row per path that ran, partial ones included; those that ran most instructions
// first.
Table list_paths(const analysis::Program &program);

// One row per function: paths possible, executed, how many make up 90 and 99 % of
// the instructions it executed, and the bytes of their counters.
Table list_path_functions(const analysis::Program &program);

// Bytes of the counters of paths, of all functions that count them.
analysis::CounterMemory path_memory(const analysis::Program &program);
// In records of calling contexts (chord --context --paths): bytes of all tables.
uint64_t path_memory_in_records(const analysis::Program &program);

// One row per path from block to block, helper vertices passed over: what the numbers of
// paths are based on, and where paths are cut.
Table list_path_edges(const analysis::Program &program);

// One path as the code it runs through, with the branches it takes. Throws Error if the
// function or the path does not exist; `number` need not have been executed.
std::string show_path(const analysis::Program &program, const std::string &function, uint64_t number,
                      const TextStyle &style);

// The source lines of a path in order, one a line.
std::string path_lines(const analysis::CountedProcedure &procedure, const analysis::CountedPath &path);

}  // namespace chord::report
