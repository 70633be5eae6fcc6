#include "weave/coverage/coverage.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <optional>

#include "core/coverage_flags.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using Place = isa::CounterPlace;

namespace {

// Flags have no choice of places, so all that matters is where there is one.
core::Costs possible_places(const ProcedureFacts &facts, const Sites &sites) {
  core::Costs costs;
  for (const Site &site : sites.edge) costs.edge.push_back(site.exists() ? 1 : kImpossible);
  for (const Site &site : sites.block) costs.vertex.push_back(site.exists() ? 1 : kImpossible);
  for (const assembly::Edge &e : facts.p.edges) costs.never.push_back(e.kind == assembly::EdgeKind::never);
  return costs;
}

bool is_covered(const ProcedurePlan &plan) { return plan.is_counted && plan.counters.placement == core::Placement::coverage; }

}  // namespace

std::string plan_coverage(const ProcedureFacts &facts, ProcedurePlan &plan) {
  std::string why_not;
  std::optional<core::Plan> flags = core::place_flags(facts.graph, possible_places(facts, plan.sites), why_not);
  if (!flags) return {};
  plan.counters = *std::move(flags);
  plan.is_counted = true;
  for (uint32_t k = 0; k < plan.counters.counters.size(); ++k) {
    const core::Counter &flag = plan.counters.counters[k];
    bool on_edge = flag.site == core::Site::edge;
    const Site &site = on_edge ? plan.sites.edge[flag.id] : plan.sites.block[flag.id];
    isa::Snippet snippet = isa::set_flag({Place::Kind::shared, counters_label(facts.n), k});
    plan.pieces.push_back({site, on_edge ? flag.id : core::kNone, snippet, Effect::count, k});
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
