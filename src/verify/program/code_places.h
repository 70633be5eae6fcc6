// Where models of code are to take a function's code to be: where the plain program that was given has it, else at made-up addresses. Those are
// the unit's sections one after the other, each from a multiple of 64 bytes on, from a page on that the unit's name gives (docs/models.md).
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "format/map/map.h"
#include "verify/program/program.h"

namespace chord::verify {

// By a fragment's name, the unit, and its size. Nothing: the plain program does not have it.
using PlainAddress = std::function<std::optional<uint64_t>(std::string_view name, std::string_view unit, uint64_t size)>;

class CodePlaces {
 public:
  // `plain`: empty if no program was given.
  CodePlaces(const Program &program, const format::UnitMap &map, PlainAddress plain);

  // Nothing: the instruction is in none of the procedure's fragments.
  std::optional<uint64_t> address(const format::Procedure &procedure, uint32_t instruction) const;

 private:
  uint64_t made_up(uint32_t section) const;

  const Program &p_;
  const format::UnitMap &map_;
  PlainAddress plain_;
};

}  // namespace chord::verify
