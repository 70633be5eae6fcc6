#include "weave/counters/counters.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/counters/block_counters.h"
#include "core/counters/counter_sums.h"
#include "core/counters/edge_counters.h"
#include "core/counters/mixed_counters.h"
#include "core/counters/running_activations.h"
#include "core/counters/vertex_counters.h"
#include "core/counters/vertex_edge_counters.h"
#include "weave/counters/counter_place.h"
#include "weave/counters/loop_counters.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::EdgeKind;

namespace {

// Placements other than the default are for study, event counters have a live value at
// every instruction, registers do not survive SIGKILL, and while a model asks the runtime in mid-loop nobody can say what
// they hold: all that stays in memory.
bool holds_loop_counters(const Options &options) {
  return options.loop_counters != Options::LoopCounters::memory && options.place == core::Placement::optimal &&
         options.events == 0 && !options.durable && !has_any(options.models);
}

double price(const Site &site, const Options &options) {
  if (!site.exists()) return kImpossible;
  return isa::increment(counter_place(options, site), site.live).price + (site.is_stub() ? kStubPrice : 0);
}

std::optional<core::Plan> place_counters(const core::Graph &graph, const core::Costs &costs,
                                         const std::vector<bool> &holds_code, const Options &options,
                                         std::string &why_not) {
  switch (options.place) {
    case core::Placement::optimal: return core::place_mixed_counters(graph, costs, why_not);
    case core::Placement::redundant: return core::place_block_counters(graph, costs, holds_code, why_not);
    case core::Placement::vertex: return core::place_vertex_counters(graph, costs, why_not);
    case core::Placement::vertex_edge: return core::place_vertex_edge_counters(graph, costs, why_not);
    case core::Placement::none: {
      core::Plan nothing;
      nothing.placement = core::Placement::none;
      nothing.never = core::never_edges(costs);
      return nothing;
    }
    default: return std::nullopt;  // planned by modes of their own
  }
}

core::EdgeId entering_edge(const assembly::Procedure &p) {
  auto found = std::find_if(p.edges.begin(), p.edges.end(), [](const assembly::Edge &e) { return e.kind == EdgeKind::enter; });
  return core::EdgeId(static_cast<size_t>(found - p.edges.begin()));
}

struct Prices {
  core::Costs costs;
  std::vector<bool> holds_code;  // by block
};

Prices find_prices(const ProcedureFacts &facts, const Sites &sites) {
  const assembly::Procedure &p = facts.p;
  Prices out;
  core::Costs &costs = out.costs;
  costs.edge.resize(p.edges.size());
  costs.never.resize(p.edges.size());
  costs.wanted.resize(p.edges.size());
  costs.vertex.assign(p.blocks.size(), kImpossible);
  for (size_t e = 0; e < p.edges.size(); ++e) {
    costs.edge[e] = facts.weights[e] * price(sites.edge[e], facts.options());
    if (!sites.edge[e].exists()) costs.edge[e] = kImpossible;  // whatever its weight
    costs.never[e] = p.edges[e].kind == EdgeKind::never;
    // Padding runs on its edge, and the number of calls is that of the enter edge:
    // both are reported, so they must follow even where edges are left open.
    costs.wanted[e] = p.edges[e].padding_count != 0 || p.edges[e].kind == EdgeKind::enter;
  }
  out.holds_code.resize(p.blocks.size());
  for (core::Vertex b = 0; b < p.blocks.size(); ++b) {
    out.holds_code[b] = facts.is_code(b);
    if (!sites.block[b].exists()) continue;
    double frequency = 0;
    for (core::EdgeId e : facts.graph.in(b)) frequency += facts.weights[e];
    costs.vertex[b] = frequency * price(sites.block[b], facts.options());
  }
  return out;
}

// `offers`: counters that may come cheaper than their sites make them.
std::optional<core::Plan> choose_counters(const ProcedureFacts &facts, const ProcedurePlan &so_far,
                                          const std::vector<LoopPlanner::Offer> &offers, std::string &why_not) {
  const Options &options = facts.options();
  auto [costs, holds_code] = find_prices(facts, so_far.sites);
  std::vector<core::OfferedSum> sums;
  for (const LoopPlanner::Offer &o : offers) {
    if (!o.terms.empty()) {
      sums.push_back({o.terms, o.cost});
      continue;
    }
    double &cost = o.counter.site == core::Site::edge ? costs.edge[o.counter.id] : costs.vertex[o.counter.id];
    cost = std::min(cost, o.cost);
  }
  core::EdgeId enter = entering_edge(facts.p);
  if (so_far.entries_known) costs.edge[enter] = 0;
  std::optional<core::Plan> plan = place_counters(facts.graph, costs, holds_code, options, why_not);
  if (plan) plan = core::exchange_for_sums(facts.graph, costs, sums, *std::move(plan));
  if (plan && so_far.entries_known && std::erase(plan->counters, core::Counter{core::Site::edge, enter}) != 0) plan->called = enter;
  if (plan && options.durable && options.place != core::Placement::none)
    plan = core::measure_ends(facts.graph, costs, holds_code, *plan);
  return plan;
}

void put_counter(const ProcedureFacts &facts, uint32_t k, const LoopCounters &loops, ProcedurePlan &plan) {
  const core::Counter &counter = plan.counters.counters[k];
  if (counter.site == core::Site::sum) return;  // the program itself counts it
  bool on_edge = counter.site == core::Site::edge;
  const Site &site = on_edge ? plan.sites.edge[counter.id] : plan.sites.block[counter.id];
  core::EdgeId edge = on_edge ? counter.edge() : core::EdgeId(core::kNone);
  const HeldCounter *held = loops.find(k);
  if (held != nullptr && held->by_program != StepKind::none) return;
  if (held != nullptr) {
    plan.insertions.push_back({site, edge, isa::increment(held->holder, site.live), Effect::count, k});
    return;
  }
  isa::AnyPlace place = counter_place(facts.options(), site, counters_label(facts.n), k);
  Phase phase = on_edge && leaves_block(facts.p, site, edge) ? Phase::leaving : Phase::entering;
  plan.insertions.push_back({site, edge, isa::increment(place, site.live), Effect::count, k, phase});
}

// What the counters stand for, in front of their own record.
std::string numbers_text(const RecordPlacer &placer, const std::string &label, size_t count, uint64_t key) {
  return counters_text(placer, label, count, isa::CounterPlace::Kind::shared) + placer.loaded(CHORD_PROCS_SECTION, "a", "progbits") +
         fmt::format("\t.balign 8\n\t.quad {}-.\n\t.quad {:#x}\n\t.long {}, {}\n", label, key, count,
                     static_cast<int>(CHORD_COUNTERS_NUMBERS));
}

}  // namespace

// Study placements aside, event counters and paths tell calls one by one, and so must what survives SIGKILL.
bool relies_on_callers(const Options &options) {
  return options.entries == Options::Entries::implied && options.place == core::Placement::optimal &&
         options.events == 0 && !options.callsites && !options.paths && !options.durable && !options.context && !options.coverage;
}

std::string plan_counters(const ProcedureFacts &facts, ProcedurePlan &plan) {
  if (plan.is_counted) return {};
  std::optional<LoopPlanner> loops;
  if (holds_loop_counters(facts.options())) loops.emplace(facts, plan.liveness, plan.sites);
  std::string why_not;
  std::optional<core::Plan> counters =
      choose_counters(facts, plan, loops ? loops->offers() : std::vector<LoopPlanner::Offer>{}, why_not);
  if (!counters) return why_not;
  plan.counters = *std::move(counters);
  plan.is_counted = true;
  LoopCounters held;
  if (loops) held = loops->choose(plan.counters, facts.n, plan.sites);
  plan.insertions.insert(plan.insertions.end(), held.insertions.begin(), held.insertions.end());
  for (uint32_t k = 0; k < plan.counters.counters.size(); ++k) put_counter(facts, k, held, plan);
  plan.shares_registers = std::any_of(held.counters.begin(), held.counters.end(),
                                      [](const HeldCounter &h) { return h.holder.part != isa::Holder::Part::whole; });
  plan.held = std::move(held.held);
  plan.widened_steps = std::move(held.widened);
  return {};
}

std::string counter_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan) {
  if (plan.contexts || plan.counters.placement == core::Placement::coverage) return {};  // which have records of their own
  bool by_number = plan.counters.paths.by_number;
  size_t count = by_number ? CHORD_PATH_SLOTS + 1 : plan.counters.words();
  isa::CounterPlace::Kind kind = facts.options().counters;
  std::string out = counters_text(placer, counters_label(facts.n), count, kind);
  if (by_number) out += numbers_text(placer, numbers_label(facts.n), count, facts.map.key);
  return out + record_text(placer, {counters_label(facts.n), record_label(facts.n), count, facts.map.key}, kind);
}

std::string counter_unit_text(const UnitFacts &, const std::vector<ProcedurePlan> &plans) {
  bool shares = std::any_of(plans.begin(), plans.end(), [](const ProcedurePlan &p) { return p.shares_registers; });
  return shares ? isa::half_constants() : "";
}

}  // namespace chord::weave
