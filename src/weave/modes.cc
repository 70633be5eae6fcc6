#include "weave/modes.h"

#include "weave/events/brackets.h"
#include "weave/contexts/contexts.h"
#include "weave/contexts/record_paths.h"
#include "weave/counters/counters.h"
#include "weave/coverage/coverage.h"
#include "weave/events/events.h"
#include "weave/exits/builtin_longjmps.h"
#include "weave/metrics/gauges.h"
#include "weave/metrics/meters.h"
#include "weave/metrics/metric_sums.h"
#include "weave/paths/paths.h"
#include "weave/sim/model_choice.h"
#include "weave/sim/models.h"
#include "weave/trace/trace.h"

namespace chord::weave {
namespace {

bool always(const Options &) { return true; }
bool counts_paths(const Options &o) { return o.paths && !o.context; }
bool counts_record_paths(const Options &o) { return o.paths && o.context; }
bool keeps_contexts(const Options &o) { return o.context; }
bool covers(const Options &o) { return o.coverage; }
bool measures_calls(const Options &o) { return o.callsites; }
bool traces(const Options &o) { return o.trace; }
bool has_models(const Options &o) { return has_any(o.models); }
bool counts_events(const Options &o) { return o.events != 0; }
bool checks_budgets(const Options &o) { return o.budget; }

bool may_be_shared(const Options &o) { return o.position_independent; }

bool measures(const Options &o) { return !o.metrics.empty(); }

constexpr Mode kModes[] = {
    {"trace", traces, plan_trace, nullptr, trace_unit_text},
    {"paths", counts_paths, plan_paths, nullptr, nullptr},
    {"context records", keeps_contexts, plan_context_records, context_record_text, nullptr},
    {"paths in records", counts_record_paths, plan_record_paths, nullptr, nullptr},
    {"call totals", measures_calls, plan_brackets, totals_record_text, nullptr},
    {"builtin longjmps", always, plan_builtin_longjmps, nullptr, nullptr},
    {"coverage", covers, plan_coverage, coverage_record_text, nullptr},
    {"counters", always, plan_counters, counter_record_text, counter_unit_text},
    {"events", counts_events, plan_events, event_ties_text, event_unit_text},
    {"meters", has_meters, plan_meters, nullptr, meter_unit_text},
    {"models", has_models, plan_models, nullptr, models_unit_text},
    {"metric sums", measures, plan_metric_sums, metric_record_text, nullptr},
    {"context calls", keeps_contexts, plan_context_calls, nullptr, context_unit_text},
};

constexpr RuntimeGroup kGroups[] = {
    {"metrics", reads_clock_alone},
    {"gauges", reads_several},
    {"context", keeps_contexts},
    {"calls", measures_calls},
    {"budget", checks_budgets},
    {"trace", traces},
    {"sim", has_models},
    {"libraries", may_be_shared},
};

}  // namespace

std::span<const Mode> modes() { return kModes; }
std::span<const RuntimeGroup> runtime_groups() { return kGroups; }

}  // namespace chord::weave
