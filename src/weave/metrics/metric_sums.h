// Where a procedure keeps the sums of its metrics (format/map/metrics.h).
//
// A mode that measures comes after "counters" in the table of modes and before "metric sums". It adds to plan.metrics with
// add_metric_sums, which says where the list begins, and weaves probes that add to metric_place(facts, plan, site, word). Sites at
// instructions of its choice come from site_before, which knows what is live there and where the context's record is.
#pragma once

#include <string>

#include "isa/contexts.h"
#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

// Adds a list and returns the number of its first word among the procedure's sums.
uint64_t add_metric_sums(ProcedurePlan &plan, format::MetricSums sums);
uint64_t metric_words(const ProcedurePlan &plan);
// Words of a record of a calling context: counters, then sums.
uint64_t record_words(const ProcedurePlan &plan);

// Where a probe at the site finds a sum.
isa::AnyPlace metric_place(const ProcedureFacts &facts, const ProcedurePlan &plan, const Site &site, uint64_t word);

// Directly in front of an instruction, whatever leads there. Its record is not found (kind slot without base) where the stack
// pointer is not followed.
Site site_before(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t instruction);
bool finds_record(const Site &site);

// A mode (weave/modes.h): memory for all sums.
std::string plan_metric_sums(const ProcedureFacts &facts, ProcedurePlan &plan);
std::string metric_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan);

}  // namespace chord::weave
