#include "weave/metrics/gauges.h"

#include <chord_abi.h>
#include <chord_models.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace chord::weave {
namespace {

bool is_clock(const format::MetricRequest &m) { return m.name == "tsc" || m.name == "time"; }

// One reading serves both clocks: it is called "tsc", "time" or "tsc,time".
std::string clock_names(const Options &options) {
  std::string names;
  for (const format::MetricRequest &m : options.metrics) {
    if (is_clock(m)) names += (names.empty() ? "" : ",") + m.name;
  }
  return names;
}

void add_models(const chord_models &models, std::vector<Gauge> &out) {
  auto add = [&](bool there, const char *name, uint32_t number) {
    if (there) out.push_back({name, {CHORD_GAUGE_MODEL, number, 0}});
  };
  add(models.data.sets != 0, "sim:l1d", CHORD_MODEL_DATA);
  add(models.second.sets != 0, "sim:l2", CHORD_MODEL_SECOND);
  add(models.code.sets != 0, "sim:l1i", CHORD_MODEL_CODE);
  add(models.branch.bits != 0, "sim:branch", CHORD_MODEL_BRANCH);
}

}  // namespace

std::vector<Gauge> gauges_of(const Options &options) {
  std::vector<Gauge> out;
  if (std::string names = clock_names(options); !names.empty()) out.push_back({names, {CHORD_GAUGE_CLOCK, 0, 0}});
  for (const format::MetricRequest &m : options.metrics) {
    if (std::optional<chord_gauge> event = event_of(m)) out.push_back({m.name, *event});
  }
  if (options.paths) add_models(options.models, out);
  return out;
}

std::optional<chord_gauge> event_of(const format::MetricRequest &metric) {
  const std::string &text = metric.text;
  size_t at = metric.name.size() + 1, colon = text.find(':', at);
  if (at >= text.size() || colon == std::string::npos || metric.name.starts_with("sim:")) return std::nullopt;
  chord_gauge event = {CHORD_GAUGE_EVENT, 0, 0};
  const char *end = text.data() + text.size();
  auto type = std::from_chars(text.data() + at, text.data() + colon, event.type);
  auto config = std::from_chars(text.data() + colon + 1, end, event.config, 16);
  if (type.ec != std::errc() || type.ptr != text.data() + colon || config.ec != std::errc() || config.ptr != end) return std::nullopt;
  return event;
}

bool has_meters(const Options &options) { return !gauges_of(options).empty(); }

bool reads_clock_alone(const Options &options) {
  std::vector<Gauge> all = gauges_of(options);
  return all.size() == 1 && all[0].what.kind == CHORD_GAUGE_CLOCK;
}

bool reads_several(const Options &options) { return has_meters(options) && !reads_clock_alone(options); }

isa::Readings readings_of(const Options &options) { return reads_several(options) ? isa::Readings::several : isa::Readings::clock; }

int kind_of_own_records(const Options &options) {
  return options.counters == isa::CounterPlace::Kind::thread_delta ? CHORD_COUNTERS_DELTA : CHORD_COUNTERS_SHARED;
}

std::string gauges_text(const Options &options) {
  std::vector<Gauge> all = gauges_of(options);
  std::string table = fmt::format("\t.quad {}\n", all.size());
  for (size_t k = 0; k < CHORD_MOST_GAUGES; ++k) {
    chord_gauge g = k < all.size() ? all[k].what : chord_gauge{};
    table += fmt::format("\t.long {}, {}\n\t.quad {:#x}\n", g.kind, g.type, g.config);
  }
  constexpr int kFaults = CHORD_MOST_GAUGES * CHORD_FAULTS;
  return fmt::format("\t.section .rodata.{0},\"aG\",@progbits,{0},comdat\n\t.balign 8\n\t.weak {0}\n\t.hidden {0}\n{0}:\n{1}", CHORD_GAUGES_SYMBOL, table) +
         fmt::format("\t.section .bss.{0},\"awG\",@nobits,{1},comdat\n\t.balign 8\n\t.weak {0}\n\t.hidden {0}\n{0}:\n\t.zero {5}\n"
                     "\t.section {2},\"aG\",@progbits,{1},comdat\n\t.balign 8\n\t.weak {1}\n\t.hidden {1}\n{1}:\n"
                     "\t.quad {0}-.\n\t.quad {3}\n\t.long {6}, {4}\n",
                     CHORD_GAUGE_FAULTS_SYMBOL, kGaugeRecord, CHORD_PROCS_SECTION, CHORD_GAUGE_KEY, kind_of_own_records(options), 8 * kFaults, kFaults);
}

}  // namespace chord::weave
