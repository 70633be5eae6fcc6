#include "analysis/program/metrics.h"

#include <algorithm>
#include <sstream>

namespace chord::analysis {

void add_to(MetricValues &values, size_t metric, uint64_t amount) {
  if (values.size() <= metric) values.resize(metric + 1);
  values[metric] = values[metric].value_or(0) + amount;
}

void add_to(MetricValues &values, const MetricValues &more) {
  for (size_t m = 0; m < more.size(); ++m) {
    if (more[m]) add_to(values, m, *more[m]);
  }
}

std::optional<uint64_t> value_of(const MetricValues &values, size_t metric) {
  return metric < values.size() ? values[metric] : std::nullopt;
}

size_t MetricNames::index_of(const std::string &name) {
  auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<size_t>(found - names_.begin());
  names_.push_back(name);
  return names_.size() - 1;
}

uint64_t counter_words(const format::Procedure &map) {
  return map.plan.words() + (map.metrics_in_records ? map.metric_words() : 0);
}

void split_metrics(const format::Procedure &map, MeasuredProcedure &measured) {
  size_t counters = map.plan.words();
  if (!map.metrics_in_records || measured.counters.size() <= counters) return;
  measured.metrics.assign(measured.counters.begin() + static_cast<std::ptrdiff_t>(counters), measured.counters.end());
  measured.counters.resize(counters);
}

namespace {

template <class T>
T &element(std::vector<T> &list, size_t index) {
  if (list.size() <= index) list.resize(index + 1);
  return list[index];
}

// What is known for each instruction is known of the procedure.
bool is_known_better(const format::Procedure &map, const format::MetricSums &sums) {
  if (sums.of != format::SumsOf::procedure && sums.of != format::SumsOf::paths) return false;
  return std::any_of(map.metrics.begin(), map.metrics.end(),
                     [&](const format::MetricSums &s) { return s.of == format::SumsOf::instructions && s.metric == sums.metric; });
}

// The words of one list are sums of the metric.
void add_list(const format::Procedure &map, const format::MetricSums &sums, const std::vector<uint64_t> &words, size_t metric,
              ProcedureMetrics &out) {
  uint64_t all = 0;
  for (uint64_t word : words) all += word;
  if (!is_known_better(map, sums)) add_to(sums.of == format::SumsOf::total ? out.total : out.own, metric, all);
  if (sums.of == format::SumsOf::instructions) {
    std::vector<uint64_t> &by_instruction = element(out.instructions, metric);
    by_instruction.resize(map.instructions.size());
    for (size_t k = 0; k < words.size(); ++k) by_instruction[sums.instructions[k]] += words[k];
  }
  if (sums.of == format::SumsOf::paths) {
    std::vector<uint64_t> &by_path = element(out.paths, metric);
    by_path.insert(by_path.end(), words.begin(), words.end());
  }
}

}  // namespace

ProcedureMetrics read_metrics(const format::Procedure &map, const std::vector<uint64_t> &words, MetricNames &names) {
  ProcedureMetrics out;
  size_t at = 0;
  for (const format::MetricSums &sums : map.metrics) {
    std::vector<uint64_t> own(map.words(sums));
    for (size_t k = 0; k < own.size(); ++k) own[k] = at + k < words.size() ? words[at + k] : 0;
    at += own.size();
    std::istringstream each(sums.metric);
    for (std::string name; std::getline(each, name, ',');) add_list(map, sums, own, names.index_of(name), out);
  }
  return out;
}

namespace {

void scale(std::optional<uint64_t> &value, const Clock &clock) {
  if (!value) return;
  if (clock.ticks == 0) {
    value.reset();
    return;
  }
  // In two parts: neither product leaves 64 bits as long as a process runs for less than some years.
  uint64_t whole = *value / clock.ticks, rest = *value % clock.ticks;
  double part = static_cast<double>(rest) * static_cast<double>(clock.nanoseconds) / static_cast<double>(clock.ticks);
  value = whole * clock.nanoseconds + static_cast<uint64_t>(part + 0.5);
}

void scale(MetricValues &values, size_t metric, const Clock &clock) {
  if (metric < values.size()) scale(values[metric], clock);
}

}  // namespace

void to_nanoseconds(ProcedureMetrics &metrics, size_t metric, const Clock &clock) {
  scale(metrics.own, metric, clock);
  scale(metrics.total, metric, clock);
  if (metric >= metrics.paths.size()) return;
  for (uint64_t &sum : metrics.paths[metric]) {
    std::optional<uint64_t> value = sum;
    scale(value, clock);
    sum = value.value_or(0);
  }
}

void to_nanoseconds(MetricValues &values, size_t metric, const Clock &clock) { scale(values, metric, clock); }

}  // namespace chord::analysis
