// `chord study trace`: encodings of control flow side by side, from traces that there are, or of programs that are run for it.
#pragma once

#include <string>
#include <vector>

#include "analysis/trace/study.h"
#include "cli/arguments/options.h"
#include "cli/studies/study_perturbation.h"

namespace chord::cli {

// Of each trace, or program beside which one lies. Throws Error.
std::vector<analysis::TraceStudy> study_traces(const InputOptions &input);

// Runs a plain program and those that were built from the same sources with --trace, in turns; each of these is a study, with the least time of both.
std::vector<analysis::TraceStudy> study_trace_runs(const std::vector<std::string> &programs, const RunOptions &options);

}  // namespace chord::cli
