// The source with counts in the margin, and, if wanted, the original assembly
// with counts under each line.
//
//        count | line  source
//           11 |    5  for (i = 0; i < 10; i++)
//        ##### |    8      abort();
//
// The margin is empty where a line holds no code, ##### where it holds code that
// never ran, ? where counts contradict each other.
//
// A function that was inlined everywhere is its lines, with what all its copies did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/tables/render.h"

namespace chord::report {

struct Annotation {
  std::string target;         // file or function; empty: every file of the program
  bool instructions = false;  // show the assembly too
  std::optional<size_t> metric = {};  // show what lines, or instructions, took of it beside their counts
};

struct Annotated {
  std::string text;
  std::vector<double> heat;  // of each line of the text: its share of what was executed, of the function or the program
  std::vector<std::string> warnings;  // source files that could not be read, ...
};

// Throws Error if the target is neither a source file nor a function of the program.
Annotated annotate(const analysis::Program &program, const Annotation &what, const TextStyle &style);

// The same facts as a table: one row per line that holds code.
Table annotation_table(const analysis::Program &program, const Annotation &what);

}  // namespace chord::report
