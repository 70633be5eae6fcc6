// The counts of a run, made from its trace: what a build that counts would have counted.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "analysis/program/program.h"
#include "analysis/trace/index.h"
#include "format/trace/trace_file.h"

namespace chord::analysis {

using TracedModules = std::map<std::string, std::unique_ptr<TracedCode>>;  // by path, as streams have it

// One call: what its own activation did, without those that it called.
struct CountedCall {
  const format::TraceStream *stream = nullptr;
  uint64_t began = 0, ended = UINT64_MAX;
  uint32_t procedure = 0;
  const TraceIndex *index = nullptr;  // to go there at once
};

// `modules` has those of all streams. Warnings say what replay could not tell. Of one call alone, if that is wanted.
Program count_trace(const format::Trace &trace, TracedModules modules, const CountedCall *only = nullptr);

}  // namespace chord::analysis
