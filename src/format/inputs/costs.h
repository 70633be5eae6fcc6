// What each instruction costs, by rules in a file (Weinberger's cost tables): the events of the kind `cost` while a program runs
// (`--events=FILE`), and, from exact counts, the metric `cost` after it has run (`chord report --cost=FILE`).
//
//     default 1
//     class load 3              # by what an instruction does
//     mnemonic div* 25          # by its name; * and ? as in the shell
//     function log_* 0          # instructions of these functions
//     line lexer.c:120 10       # instructions of that line
//
// The most specific rule decides: line, then function, mnemonic, class, default; among
// equals the last. Without a default an instruction that no rule is about costs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/map/map.h"

namespace chord::format {

struct CostRule {
  enum class About : uint8_t { everything, doing, mnemonic, function, line } about = About::everything;
  std::string pattern;    // mnemonic, function: glob; line: name of the file
  isa::Traits traits = 0; // doing: any of them
  uint32_t line = 0;
  int64_t cost = 0;
};

// Throws Error with the place, `name`:LINE, of what is wrong.
std::vector<CostRule> read_costs(std::string_view text, const std::string &name);

// By instruction of the procedure, which is of the unit `map`.
std::vector<int64_t> instruction_costs(const std::vector<CostRule> &rules, const Procedure &procedure,
                                       const UnitMap &map);

}  // namespace chord::format
