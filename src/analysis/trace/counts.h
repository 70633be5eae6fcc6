// The counts of a run, made from its trace: what a build that counts would have counted.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "analysis/program.h"
#include "analysis/trace/code.h"
#include "format/trace_file.h"

namespace chord::analysis {

using TracedModules = std::map<std::string, std::unique_ptr<TracedCode>>;  // by path, as streams have it

// `modules` has those of all streams. Warnings say what replay could not tell.
Program count_trace(const format::Trace &trace, TracedModules modules);

}  // namespace chord::analysis
