#include "weave/metrics/meters.h"

#include <chord_abi.h>
#include <chord_gauges.h>
#include <fmt/core.h>

#include <algorithm>

#include "isa/meters.h"
#include "weave/metrics/gauges.h"
#include "weave/metrics/metric_sums.h"
#include "weave/plan/home_text.h"

namespace chord::weave {

using assembly::EdgeKind;

namespace {

constexpr const char *kClockRecord = "__chord_clock_record";
constexpr const char *kProbeRecord = "__chord_probe_record";
constexpr int kProbeWords = sizeof(chord_probe_costs) / sizeof(uint64_t);

// Words of the module, as counters of a small key; those of a thread where counters are.
std::string own_record(const Options &options, const char *symbol, const char *record, int key, int words) {
  return fmt::format("\t.section .bss.{0},\"awG\",@nobits,{1},comdat\n\t.balign 8\n\t.weak {0}\n\t.hidden {0}\n{0}:\n\t.zero {5}\n"
                     "\t.section {2},\"aG\",@progbits,{1},comdat\n\t.balign 8\n\t.weak {1}\n\t.hidden {1}\n{1}:\n"
                     "\t.quad {0}-.\n\t.quad {3}\n\t.long {6}, {4}\n",
                     symbol, record, CHORD_PROCS_SECTION, key, kind_of_own_records(options), 8 * words, words);
}

bool leaves(EdgeKind kind) { return kind == EdgeKind::leave || kind == EdgeKind::tail_call; }

bool meters_paths(const ProcedurePlan &plan) {
  return std::any_of(plan.metrics.begin(), plan.metrics.end(), [](const format::MetricSums &s) { return s.of == format::SumsOf::paths; });
}

// Where a wider frame is taken down, unwind lines are not all or nothing.
isa::Snippet leave_at(const ProcedureFacts &facts, const ProcedurePlan &plan, const Site &site) {
  isa::Snippet leave = isa::leave_meter(readings_of(facts.options()), site.live);
  if (!plan.holder.widens_frame()) return leave;
  if (!facts.rules_at(site).frame_follows_stack_pointer()) strip_unwind_lines(leave);
  leave.moves_stack = false;
  return leave;
}

}  // namespace

bool can_be_metered(const ProcedureFacts &facts, const Sites &sites) {
  for (uint32_t e = 1; e < facts.p.edges.size(); ++e) {
    EdgeKind kind = facts.p.edges[e].kind;
    if (kind != EdgeKind::enter && !leaves(kind)) continue;
    const Site &site = sites.edge[e];
    if (kind == EdgeKind::leave && !site.exists()) continue;  // what a trap ends does not come to its end
    if (!site.exists() || !finds_record(site)) return false;
  }
  return true;
}

int64_t first_path_sum(const Options &options) { return (options.context ? 1 : 2) * static_cast<int64_t>(gauges_of(options).size()); }

void add_meter_sums(const Options &options, bool paths, ProcedurePlan &plan) {
  const std::vector<Gauge> gauges = gauges_of(options);
  auto add = [&](format::SumsOf of) {
    for (const Gauge &gauge : gauges) add_metric_sums(plan, {gauge.names, of, {}});
  };
  add(format::SumsOf::procedure);
  if (!plan.contexts) add(format::SumsOf::total);
  if (paths) add(format::SumsOf::paths);
}

static void tie_records(const Options &options, ProcedurePlan &plan) {
  plan.ties.emplace_back(kClockRecord);
  plan.ties.emplace_back(kProbeRecord);
  if (reads_several(options)) plan.ties.emplace_back(kGaugeRecord);
}

// The stack pointer tells activations apart, so it must be the same where one begins and ends: with contexts, in their
// wider frame, and outside of any that paths make.
std::string plan_meters(const ProcedureFacts &facts, ProcedurePlan &plan) {
  if (meters_paths(plan)) {  // weave/paths/paths.h has told all of it
    tie_records(facts.options(), plan);
    return {};
  }
  if (!can_be_metered(facts, plan.sites)) return {};
  uint64_t first = metric_words(plan);
  add_meter_sums(facts.options(), false, plan);
  for (core::EdgeId e = 1; e < facts.p.edges.size(); ++e) {
    EdgeKind kind = facts.p.edges[e].kind;
    const Site &site = plan.sites.edge[e];
    if (!site.exists()) continue;
    if (kind == EdgeKind::enter)
      plan.insertions.push_back({site, e, isa::enter_meter(metric_place(facts, plan, site, first), readings_of(facts.options()), site.live), Effect::none, 0, Phase::first});
    if (leaves(kind)) plan.insertions.push_back({site, e, leave_at(facts, plan, site), Effect::none, 0, Phase::leaving});
  }
  tie_records(facts.options(), plan);
  return {};
}

std::string meter_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &) {
  const bool several = reads_several(unit.options);
  const std::string home = several ? home_text(unit.options, "__chord_own_gauges", 8) : home_text(unit.options, "__chord_meter", 8, "\t.quad __chord_no_meter\n");
  return home + isa::meter_sample_text({readings_of(unit.options), gauges_of(unit.options).size(), unit.options.context, unit.options.position_independent}) +
         (several ? gauges_text(unit.options) : "") + own_record(unit.options, CHORD_CLOCK_SYMBOL, kClockRecord, CHORD_CLOCK_KEY, 2) +
         own_record(unit.options, CHORD_PROBE_COSTS_SYMBOL, kProbeRecord, CHORD_PROBES_KEY, kProbeWords);
}

}  // namespace chord::weave
