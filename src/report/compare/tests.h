// What each test of a suite executes, and so which tests run a line, and which a change concerns.
//
// A test is a mark (chord_mark), a process by its arguments, or a profile by its name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "analysis/source/lines.h"
#include "report/compare/unified_diff.h"
#include "report/tables/table.h"

namespace chord::report {

struct TestRun {
  std::string name;
  uint64_t instructions = 0;
  std::map<std::string, uint64_t> functions;                           // by linkage name: instructions executed
  std::map<std::pair<std::string, uint32_t>, analysis::LineCount> lines;  // by absolute path and line: those that ran
};

TestRun test_run(std::string name, const analysis::Program &program);

// test, functions, lines, instructions
Table list_tests(const std::vector<TestRun> &tests);
// test, count, executed: those that run the line. Throws Error if the program has no code there.
Table tests_of_line(const std::vector<TestRun> &tests, const analysis::Program &program, const std::string &file, uint32_t line);
// test, function, executed: those that run a function whose name, or demangled name, matches.
Table tests_of_function(const std::vector<TestRun> &tests, const analysis::Program &program, const std::string &glob);
// test, function, file, first, last: tests that run a function that was changed. Lines outside of all functions
// concern every test that runs code of that file; what the program has no code of is in `note`.
Table impacted_tests(const std::vector<TestRun> &tests, const analysis::Program &program, const std::vector<ChangedLines> &changes);

}  // namespace chord::report
