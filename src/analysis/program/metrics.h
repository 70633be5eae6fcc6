// Sums of metrics (format/map/metrics.h), read from the words that a profile has of each procedure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/measured_procedure.h"
#include "format/map/map.h"

namespace chord::analysis {

// By index in Program::metrics; nothing, or beyond the end: not measured there.
using MetricValues = std::vector<std::optional<uint64_t>>;

// Adds where something is; modulo 2^64, as sums are while a program runs.
void add_to(MetricValues &values, size_t metric, uint64_t amount);
void add_to(MetricValues &values, const MetricValues &more);
std::optional<uint64_t> value_of(const MetricValues &values, size_t metric);

struct ProcedureMetrics {
  MetricValues own;    // without what it calls
  MetricValues total;  // with it, where that was measured
  MetricValues error;  // what of `own` probes took, about (probe_costs.h); 0: own is exact
  // By metric, then by instruction of the map; empty: not measured for each.
  std::vector<std::vector<uint64_t>> instructions;
  // By metric, then by number of the path; likewise.
  std::vector<std::vector<uint64_t>> paths;
};

// The metrics of a program, in the order of their first mention.
class MetricNames {
 public:
  size_t index_of(const std::string &name);
  const std::vector<std::string> &names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

// Words that the counters of a procedure have in a profile.
uint64_t counter_words(const format::Procedure &map);
// Moves the sums that follow the counters to where they belong.
void split_metrics(const format::Procedure &map, MeasuredProcedure &measured);
// What the words mean. None: nothing was measured.
ProcedureMetrics read_metrics(const format::Procedure &map, const std::vector<uint64_t> &words, MetricNames &names);

// How long the processes counted, in ticks of the time-stamp counter and otherwise.
struct Clock {
  uint64_t ticks = 0, nanoseconds = 0;
};
// What was read in ticks; nothing is left if it is not known how long they are.
void to_nanoseconds(ProcedureMetrics &metrics, size_t metric, const Clock &clock);
void to_nanoseconds(MetricValues &values, size_t metric, const Clock &clock);

}  // namespace chord::analysis
