// Code as models see it: stretches of instructions, the lines that each comes to, and the counters that predict branches.
//
// Addresses are those of a plain program, or made up (verify/program/code_places.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "verify/counting/counts.h"

namespace chord::verify {

// Which instruction a word of the sums belongs to.
class SumsOfInstructions {
 public:
  explicit SumsOfInstructions(const ProcedureFacts &facts);
  // Throws Unproved if it is none of that metric.
  uint32_t instruction(uint32_t about, std::string_view metric, const Value &index) const;

 private:
  const ProcedureFacts &f_;
  struct List {
    uint64_t first = 0;
    const std::vector<uint32_t> *instructions = nullptr;
  };
  std::map<std::string_view, List> lists_;
};

class ModelledCode {
 public:
  ModelledCode(const ProcedureFacts &facts, const SumsOfInstructions &sums);

  // Of all looks, before anything else is asked.
  void collect(uint32_t about, const Machine::Look &look);
  // Every look is for all lines of one stretch, and tells of all instructions that come to them. Throws Unproved.
  void check();

  // The stretch that begins with the instruction; kNone: none does.
  uint32_t begins(uint32_t instruction) const;
  uint32_t stretch_of_look(uint32_t about, const Machine::Look &look) const;
  // The number is that of the counter which predicts the branch, with the history if that has a part in it. Throws Unproved.
  void check_counter(uint32_t branch, const Value &number);

 private:
  struct Stretch {
    std::vector<uint32_t> instructions;
  };
  using Lines = std::vector<std::pair<int64_t, int64_t>>;
  struct Collected {
    uint32_t about = kNone;
    std::optional<Lines> all;    // where every line was found
    std::vector<Lines> some;     // where the last of them was not
    std::vector<Machine::Look::Request> requests;
    uint32_t stretch = kNone;
  };

  [[noreturn]] void fail(uint32_t i, std::string what) const;
  void cut(const format::Block &block);
  void check(Collected &look);
  uint32_t section(uint32_t i) const;
  int64_t address(uint32_t i) const;

  const ProcedureFacts &f_;
  const SumsOfInstructions &sums_;
  const chord_models &models_;
  std::vector<Stretch> stretches_;
  std::map<uint32_t, uint32_t> stretch_of_;  // by instruction
  std::map<uint32_t, Collected> looks_;      // by statement
};

}  // namespace chord::verify
