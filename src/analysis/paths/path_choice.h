// Paths worth counting alone, chosen by what a profile of all paths says
// (`chord paths select`).
//
// Functions of one name and one shape share a choice; where a name stands for several
// shapes and only some have chosen paths, the others are listed as known and left out, so
// that a build can tell them from functions that changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "format/inputs/path_selection.h"

namespace chord::analysis {

struct ChoiceRule {
  enum class Kind : uint8_t {
    executed,   // every path that ran
    top,        // the `count` paths that ran most instructions
    uncovered,  // those that did not run: what is left to be tested
    touching,   // those that run through a line
    random,     // `count` of each function, any that can be taken
  } kind = Kind::executed;
  uint64_t count = 0;
  uint64_t seed = 0;
  std::string file;
  uint32_t line = 0;
};

// In order of the functions. Functions whose paths are not counted are passed over; where
// more would be chosen than can be listed, all of the function's paths are.
std::vector<format::PathChoice> choose_paths(const Program &program, const ChoiceRule &rule);

// Numbers of the paths that can be taken; in a build for chosen paths, of those.
format::ChosenNumbers possible_numbers(const format::Procedure &map, const core::PathNumbering &numbering);

// `count` of the numbers, evenly drawn; the same on every machine.
std::vector<uint64_t> draw_numbers(std::vector<uint64_t> numbers, uint64_t count, uint64_t seed);

// Number of paths that the choices name.
uint64_t paths_in(const std::vector<format::PathChoice> &choices);

}  // namespace chord::analysis
