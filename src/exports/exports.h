// Files that other people's viewers read. One row in the table of formats and one
// file in this folder for each; docs/exports.md says what each holds.
//
// An export writes what analysis knows and nothing else: what a format asks for and
// the profile does not hold is left out and said so in `warnings`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "format/profile/profile.h"

namespace chord::exports {

struct Input {
  const analysis::Program &program;
  // What it was counted from, for formats that hold runs apart.
  const format::Profile &profile;
  analysis::LoadOptions load;
  uint64_t budget = 0;  // sarif: instructions that a line may execute in a run; 0: any number
  const analysis::Program *before = nullptr;  // svg: what to compare with
};

struct Exported {
  std::string bytes;
  std::vector<std::string> warnings;
};

struct Format {
  const char *name;
  const char *summary;
  Exported (*write)(const Input &);
  bool binary;
  bool only_ran = false;  // makes sense of programs of which only what ran is known
  bool needs_runs = false;  // of a profile, each by itself: a trace does not hold that
};

std::span<const Format> formats();
// Throws UsageError naming those that exist.
const Format &format_named(const std::string &name);

Exported write_lcov(const Input &input);
Exported write_cobertura(const Input &input);
Exported write_gcov_json(const Input &input);
Exported write_callgrind(const Input &input);
Exported write_sarif(const Input &input);
Exported write_bbv(const Input &input);
Exported write_sqlite(const Input &input);
Exported write_folded(const Input &input);
Exported write_speedscope(const Input &input);
Exported write_pprof(const Input &input);
Exported write_firefox(const Input &input);
Exported write_svg(const Input &input);

}  // namespace chord::exports
