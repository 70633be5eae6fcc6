// What meters (weave/metrics/meters.h) read: the clock, events of the kernel's, and misses of models, which are added up by instruction
// anyway and are read here only for the sake of paths.
#pragma once

#include <chord_gauges.h>

#include <optional>
#include <string>
#include <vector>

#include "isa/meters.h"
#include "weave/options.h"

namespace chord::weave {

struct Gauge {
  std::string names;  // of the metrics that it is: "tsc,time"
  chord_gauge what = {};
};
// In the order of their sums; none: no meter.
std::vector<Gauge> gauges_of(const Options &options);

// An event that the kernel counts, as it is asked for: NAME=TYPE:CONFIG, the latter hexadecimal (perf_event_open(2)).
std::optional<chord_gauge> event_of(const format::MetricRequest &metric);

bool has_meters(const Options &options);
// The clock alone has routines of its own, which are faster.
bool reads_clock_alone(const Options &options);
bool reads_several(const Options &options);
isa::Readings readings_of(const Options &options);

// CHORD_COUNTERS_*: of what the runtime tells of meters themselves. Where counters are each thread's, so is this, and outlives the process with them.
int kind_of_own_records(const Options &options);

// What the runtime has to know of them, once in a unit; and the record of what could not be read.
inline constexpr const char *kGaugeRecord = "__chord_gauge_record";
std::string gauges_text(const Options &options);

}  // namespace chord::weave
