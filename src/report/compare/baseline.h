// What a program cost when its cost was last accepted: a small text file that is kept beside the
// source and reads well in a review.
//
//   chord baseline 1
//   program queens
//   runs 1
//   instructions 92965
//
//   function place queens.c
//   calls 2057
//   executed 92950
//     +0 8228
//     +3 24126
//   from 92950 main > solve > place
//
// One paragraph a function, by name; lines are counted from the function's first, so that what is
// written above it changes nothing. Only functions that ran are in it. Of builds with --context it says from which calling
// contexts a function has its instructions: those with most of them, and how many are the `others`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program/program.h"

namespace chord::report {

struct BaselineFunction {
  std::string name;  // linkage name
  std::string unit;
  uint64_t calls = 0, executed = 0;
  // Instructions executed by line: "+3" in the function's own file, "other.h:12" elsewhere.
  std::map<std::string, uint64_t> lines;
  // Where it begins; not in the text.
  std::string file;
  uint32_t line = 0;
  // Instructions by calling context, "main > solve > place", and of those that are left out.
  std::map<std::string, uint64_t> contexts{};
  uint64_t other_contexts = 0;
};

struct Baseline {
  std::string program;
  uint64_t runs = 1;
  uint64_t instructions = 0;
  std::vector<BaselineFunction> functions;  // by name, then unit
};

// Throws Error if a function's counts contradict each other.
Baseline baseline_of(const analysis::Program &program);

std::string to_text(const Baseline &baseline);
// Throws Error naming `path` and the line.
Baseline parse_baseline(std::string_view text, const std::string &path);
bool looks_like_baseline(std::string_view text);

}  // namespace chord::report
