#include "analysis/program/gauges.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::analysis {
namespace {

constexpr std::array<const char *, CHORD_FAULTS> kReasons = {"the machine has no such event", "it is not permitted (kernel.perf_event_paranoid)",
                                                             "the processor has too few counters for all events at once",
                                                             "the kernel refused it, or the program closed it"};

void forget(MetricValues &values, size_t metric) {
  if (metric < values.size()) values[metric].reset();
}

void forget(Program &program, size_t metric) {
  for (CountedProcedure &p : program.procedures) {
    forget(p.metrics.own, metric);
    forget(p.metrics.total, metric);
    for (CountedPath &path : p.paths) forget(path.metrics, metric);
  }
  for (CountedContext &c : program.contexts) {
    forget(c.metrics, metric);
    forget(c.metrics_inclusive, metric);
  }
}

}  // namespace

std::vector<std::string> gauge_names(const Program &program) {
  std::vector<std::string> names;
  for (const CountedProcedure &p : program.procedures) {
    for (const format::MetricSums &sums : p.map->metrics) {
      if (sums.of == format::SumsOf::procedure) names.push_back(sums.metric);
    }
    if (!names.empty()) break;
  }
  return names;
}

void GaugeFaults::add(const format::ModuleProfile &profile) {
  for (const format::ModuleProfile::Procedure &p : profile.procedures) {
    if (p.key != CHORD_GAUGE_KEY || p.counters.size() != threads_.size()) continue;
    for (size_t i = 0; i < threads_.size(); ++i) threads_[i] += p.counters[i];
  }
}

void GaugeFaults::settle(Program &program) const {
  const std::vector<std::string> names = gauge_names(program);
  for (size_t k = 0; k < names.size() && k < CHORD_MOST_GAUGES; ++k) {
    for (size_t reason = 0; reason < CHORD_FAULTS; ++reason) {
      uint64_t threads = threads_[k * CHORD_FAULTS + reason];
      if (threads == 0) continue;
      program.warnings.push_back(fmt::format("{}: not measured: {} of its threads could not count it: {}", names[k], threads, kReasons[reason]));
      auto metric = std::find(program.metrics.begin(), program.metrics.end(), names[k]);
      if (metric != program.metrics.end()) forget(program, static_cast<size_t>(metric - program.metrics.begin()));
    }
  }
}

}  // namespace chord::analysis
