// Addresses of original instructions, for models of code: those of the plain program if one was given (--layout), else made up.
//
// Made-up addresses are those of the unit's object file, its sections one after the other, from a page on that the unit's name gives. They
// are the same in every build; how functions of different units lie to each other is not known.
#pragma once

#include <cstdint>
#include <optional>

#include "weave/facts/facts.h"

namespace chord::weave {

// Of a fragment's first byte in the plain program. Nothing: none is given, or it is not found there.
std::optional<uint64_t> plain_address(const UnitFacts &unit, const assembly::Fragment &fragment);

class CodeAddresses {
 public:
  explicit CodeAddresses(const ProcedureFacts &facts);
  uint64_t operator()(const assembly::Instruction &instruction) const {
    return starts_[instruction.fragment] + instruction.offset - facts_.p.fragments[instruction.fragment].begin;
  }
  // All that the procedure has are small enough for probes.
  bool are_small() const;

 private:
  const ProcedureFacts &facts_;
  std::vector<uint64_t> starts_;  // by fragment
};

}  // namespace chord::weave
