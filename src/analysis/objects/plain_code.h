// Functions of an executable or shared object that no map speaks of: what was compiled without
// chord, or was not selected, or came out of an archive.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace chord::analysis {

struct PlainUnit {
  std::string name;                    // source file; empty where there is no debug information
  std::vector<std::string> functions;  // linkage names, in order
};

// By unit, in order of their names; start-up code of the C library's and the runtime are left out. `known`
// are functions that a map speaks of although they were not woven. Empty if the file has no symbols.
// Throws Error if the file cannot be read.
std::vector<PlainUnit> plain_code(const std::string &path, const std::set<std::string> &known);

}  // namespace chord::analysis
