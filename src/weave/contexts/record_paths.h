// Paths in calling contexts: a table of a procedure's paths in each of its records (weave/contexts/contexts.h).
//
// The number of the path is kept in the same word as the record: the holder is ahead of the record by as many counters as the path
// register says. So additions, counts and everything about the activation are as they are for one of the two. The record itself is
// found again where records are multiples of a power of two that is larger than the table: by one instruction, where a path starts and
// where a call is named, and by none where the path register can have only one value.
//
// Paths are those of a build without contexts where a table has room for them (kMostRecordPaths); others are cut shorter.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_paths.h"

namespace chord::weave {

// A mode (weave/modes.h), between those of contexts. Where paths cannot be counted, says why in the plan and leaves the rest to the
// counters of edges.
std::string plan_record_paths(const ProcedureFacts &facts, ProcedurePlan &plan);

}  // namespace chord::weave
