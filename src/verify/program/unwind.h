// Unwind rules as the directives of a text make them, statement by statement.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assembly/text/source.h"

namespace chord::verify {

struct Rules {
  bool active = false;
  std::string base;   // register that the frame's end is found by, as a number; or an expression
  int64_t offset = 0;
  std::map<std::string, int64_t> saved;       // register -> offset from the frame's end
  std::map<std::string, std::string> others;  // register -> any other rule
  std::string personality;

  bool by_stack_pointer() const { return base == "7"; }
  bool operator==(const Rules &) const = default;
};

class UnwindTable {
 public:
  explicit UnwindTable(const assembly::Source &source);

  // Empty, or what the assembler would refuse.
  const std::string &fault() const { return fault_; }

  // In force where a statement begins.
  const Rules &before(uint32_t statement) const { return states_[state_[statement]]; }

 private:
  std::vector<Rules> states_;
  std::vector<uint32_t> state_;  // by statement
  std::string fault_;
};

}  // namespace chord::verify
