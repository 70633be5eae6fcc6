// `chord study perturbation PLAIN WOVEN… [-- ARGUMENTS]`: runs programs and says what weaving does to each event.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/studies/perturbation.h"

namespace chord::cli {

struct RunOptions {
  std::vector<std::string> arguments;
  std::string input;  // a file; empty: nothing
  unsigned repeats = 3;
  uint64_t most_steps = 1000000;  // 0: none
  bool context_details = false;   // LoadOptions
};

// A program without probes comes before those that are built from the same sources with them. Each woven one is a study.
// `loaded`: what each run counted, and how large its profile was, for those who want more of it.
using LoadedRun = std::function<void(const analysis::Program &program, uint64_t profile_bytes)>;
std::vector<report::Perturbation> study_perturbation(const std::vector<std::string> &programs, const RunOptions &options, const LoadedRun &loaded);

}  // namespace chord::cli
