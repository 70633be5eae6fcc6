#include "format/map/metrics.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::format {
namespace {

bool continues(std::string_view part) { return !part.empty() && part[0] >= '0' && part[0] <= '9'; }

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    std::string_view part = list.substr(at, end - at);
    if (continues(part) && !parts.empty()) {
      parts.back() += "," + std::string(part);
    } else {
      parts.emplace_back(part);
    }
    at = end + 1;
  }
  return parts;
}

}  // namespace

const std::vector<MetricKind> &metric_kinds() {
  static const std::vector<MetricKind> kKinds = {{"tsc", "ticks", "time-stamp counter"},
                                                 {"time", "ns", "the same in nanoseconds"},
                                                 {"sim:l1d", "misses", "misses of a modelled first-level data cache"},
                                                 {"sim:l2", "misses", "misses of a modelled second-level cache"},
                                                 {"sim:l1i", "misses", "misses of a modelled first-level instruction cache"},
                                                 {"sim:branch", "misses", "conditional branches that a modelled predictor gets wrong"},
                                                 {"task-clock", "ns", "time that threads ran, as the kernel accounts for it"},
                                                 {"cpu-clock", "ns", "likewise, by the processor's clock"},
                                                 {"page-faults", "events", "the kernel's event of that name"},
                                                 {"minor-faults", "events", "the kernel's event of that name"},
                                                 {"major-faults", "events", "the kernel's event of that name"},
                                                 {"context-switches", "events", "the kernel's event of that name"},
                                                 {"cpu-migrations", "events", "the kernel's event of that name"},
                                                 {"alignment-faults", "events", "the kernel's event of that name"},
                                                 {"emulation-faults", "events", "the kernel's event of that name"},
                                                 {"cycles", "events", "the kernel's event of that name"},
                                                 {"instructions", "events", "the kernel's event of that name"},
                                                 {"ref-cycles", "events", "the kernel's event of that name"},
                                                 {"cache-references", "events", "the kernel's event of that name"},
                                                 {"cache-misses", "events", "the kernel's event of that name"},
                                                 {"branches", "events", "the kernel's event of that name"},
                                                 {"branch-misses", "events", "the kernel's event of that name"},
                                                 {"stalled-cycles-frontend", "events", "the kernel's event of that name"},
                                                 {"stalled-cycles-backend", "events", "the kernel's event of that name"},
                                                 {"L1-dcache-loads", "events", "the kernel's event of that name"},
                                                 {"L1-dcache-load-misses", "events", "the kernel's event of that name"},
                                                 {"L1-icache-load-misses", "events", "the kernel's event of that name"},
                                                 {"LLC-loads", "events", "the kernel's event of that name"},
                                                 {"LLC-load-misses", "events", "the kernel's event of that name"},
                                                 {"dTLB-load-misses", "events", "the kernel's event of that name"},
                                                 {"iTLB-load-misses", "events", "the kernel's event of that name"},
                                                 {"perf:", "events", "an event by its name in libpfm: perf:NAME"}};
  return kKinds;
}

const MetricKind *find_metric_kind(std::string_view name) {
  for (const MetricKind &kind : metric_kinds()) {
    bool family = kind.name.ends_with(':');
    if (family ? name.starts_with(kind.name) && name.size() > kind.name.size() : name == kind.name) return &kind;
  }
  return nullptr;
}

std::optional<std::vector<MetricRequest>> parse_metrics(std::string_view list, std::string &error) {
  std::vector<MetricRequest> requests;
  for (std::string &text : split(list)) {
    std::string name = text.substr(0, text.find('='));
    if (name.empty()) error = "a metric without a name";
    if (error.empty() && find_metric_kind(name) == nullptr) error = fmt::format("{}: no such metric", name);
    bool twice = std::any_of(requests.begin(), requests.end(), [&](const MetricRequest &r) { return r.name == name; });
    if (error.empty() && twice) error = fmt::format("{}: asked for twice", name);
    if (!error.empty()) return std::nullopt;
    requests.push_back({std::move(name), std::move(text)});
  }
  return requests;
}

}  // namespace chord::format
