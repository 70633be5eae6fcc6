#include "weave/coverage/coverage.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <optional>

#include "core/counters/coverage_flags.h"
#include "core/counters/mixed_counters.h"
#include "format/facts/only_ran.h"
#include "weave/counters/counter_place.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using Place = isa::CounterPlace;

namespace {

// What a probe at each place is expected to cost; `price`: of the probe alone.
template <class Price>
core::Costs expected_costs(const ProcedureFacts &facts, const Sites &sites, Price price) {
  auto cost = [&](const Site &site, double frequency) {
    return site.exists() ? frequency * (price(site) + (site.is_stub() ? kStubPrice : 0)) : kImpossible;
  };
  core::Costs costs;
  for (uint32_t e = 0; e < sites.edge.size(); ++e) costs.edge.push_back(cost(sites.edge[e], facts.weights[e]));
  for (core::Vertex b = 0; b < sites.block.size(); ++b) {
    double frequency = 0;
    for (core::EdgeId e : facts.graph.in(b)) frequency += facts.weights[e];
    costs.vertex.push_back(cost(sites.block[b], frequency));
  }
  for (const assembly::Edge &e : facts.p.edges) {
    costs.never.push_back(e.kind == assembly::EdgeKind::never);
    costs.wanted.push_back(false);
  }
  return costs;
}

double sum_of(const core::Plan &plan, const core::Costs &costs) {
  double sum = 0;
  for (const core::Counter &c : plan.counters) sum += c.site == core::Site::edge ? costs.edge[c.id] : costs.vertex[c.id];
  return sum;
}

// Counts tell what ran, too, and a plan of counters may do with fewer probes, where the flow law saves more than their price.
bool are_counters_cheaper(const ProcedureFacts &facts, const Sites &sites, double flags) {
  core::Costs costs = expected_costs(facts, sites, [&](const Site &site) {
    return static_cast<double>(isa::increment(counter_place(facts.options(), site), site.live).price);
  });
  std::string why_not;
  std::optional<core::Plan> counters = core::place_mixed_counters(facts.graph, costs, why_not);
  return counters && sum_of(*counters, costs) < flags;
}

bool is_covered(const ProcedurePlan &plan) { return plan.is_counted && plan.counters.placement == core::Placement::coverage; }

}  // namespace

std::string plan_coverage(const ProcedureFacts &facts, ProcedurePlan &plan) {
  std::string why_not;
  core::Costs costs = expected_costs(facts, plan.sites, [](const Site &) { return 1.0; });
  std::optional<core::Plan> flags = core::place_flags(facts.graph, costs, why_not);
  if (!flags || are_counters_cheaper(facts, plan.sites, sum_of(*flags, costs))) {
    plan.no_paths = format::kBuiltForCoverage;
    return {};
  }
  plan.counters = *std::move(flags);
  plan.is_counted = true;
  for (uint32_t k = 0; k < plan.counters.counters.size(); ++k) {
    const core::Counter &flag = plan.counters.counters[k];
    bool on_edge = flag.site == core::Site::edge;
    const Site &site = on_edge ? plan.sites.edge[flag.id] : plan.sites.block[flag.id];
    isa::Snippet snippet = isa::set_flag({Place::Kind::shared, counters_label(facts.n), k});
    plan.insertions.push_back({site, on_edge ? flag.edge() : core::kNone, snippet, Effect::count, k});
  }
  return {};
}

std::string coverage_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan) {
  if (!is_covered(plan)) return {};
  size_t count = plan.counters.counters.size();
  return counters_text(placer, counters_label(facts.n), count, Place::Kind::shared) + placer.loaded(CHORD_PROCS_SECTION, "a", "progbits") +
         fmt::format("\t.balign 8\n{}:\n\t.quad {}-.\n\t.quad {:#x}\n\t.long {}, {}\n", record_label(facts.n), counters_label(facts.n),
                     facts.map.key, count, static_cast<int>(CHORD_COUNTERS_FLAGS));
}

}  // namespace chord::weave
