// Functions of an executable by its symbols: where they lie, and where it is entered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chord::analysis {

struct FunctionSymbol {
  uint64_t begin = 0, end = 0;  // link-time
  std::string name;
};
struct ExecutableSymbols {
  uint64_t entry = 0;
  uint64_t lowest = 0;  // address of what is mapped from its beginning
  std::vector<FunctionSymbol> functions;
};

// Throws Error if it is no executable, or has no symbols.
ExecutableSymbols executable_symbols(const std::string &path);

// What the C library and the compiler add to every program.
bool is_start_up(std::string_view name);
// Of the runtime that woven programs carry.
bool is_runtime(std::string_view name);

}  // namespace chord::analysis
