// Which registers that are dead throughout a loop count for it (weave/counters/loop_counters.h).
#include <algorithm>
#include <bit>
#include <map>

#include "core/paths/register_choice.h"
#include "weave/counters/counter_place.h"
#include "weave/counters/loop_counters.h"

namespace chord::weave {
namespace {

constexpr uint32_t kGeneralKind = 0, kVectorKind = 1;
// Of an increment of half a register, which loads a constant, beyond one of a whole register.
constexpr double kLoadPrice = 0.05;

}  // namespace

// The registers of a procedure, by kind, as core/paths/register_choice.h numbers them. Vector registers
// are whole, with one of all ones beside them, or halves.
struct LoopPlanner::DeadRegisters {
  std::vector<isa::Resources> kinds[core::kRegisterClasses];
  isa::Resources ones = 0;
  bool halves = false;

  isa::Holder holder(bool wide, uint32_t kind, uint32_t bit) const {
    if (kind == kGeneralKind) return {kinds[kind][bit], 0, false};
    if (!halves) return {kinds[kind][bit], ones, wide};
    bool high = bit >= core::kHighHalves;
    return {kinds[kind][bit % core::kHighHalves], 0, wide, high ? isa::Holder::Part::high : isa::Holder::Part::low};
  }
  uint64_t bits_of(uint32_t kind, isa::Resources free) const {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < kinds[kind].size(); ++i) {
      if (free & kinds[kind][i]) bits |= uint64_t{1} << i;
    }
    return kind == kVectorKind && halves ? bits | bits << core::kHighHalves : bits;
  }
};

// The innermost eligible loop that the counter runs in every round of, or kNone.
uint32_t LoopPlanner::innermost(const core::Counter &c) const {
  for (uint32_t l = static_cast<uint32_t>(eligible_.size()); l-- > 0;) {  // inner loops come later
    bool in = c.site == core::Site::vertex ? inside(l, c.vertex()) : inside(l, p_.edges[c.id].from) && inside(l, p_.edges[c.id].to);
    if (in) return l;
  }
  return core::kNone;
}

LoopPlanner::DeadRegisters LoopPlanner::dead_registers(bool halves) const {
  isa::Resources general = 0;
  std::map<isa::Resources, uint32_t> uses;  // vector register -> loops it is free in
  for (const Loop &loop : eligible_) {
    general |= loop.free;
    if (!unit_.has_vectors || loop.vectors == isa::VectorUse::none) continue;
    for (isa::Resources r : isa::vector_holders(loop.free)) ++uses[r];
  }
  DeadRegisters dead;
  dead.halves = halves;
  isa::Resources vectors = 0;
  for (const auto &[reg, count] : uses) {
    vectors |= reg;
    if (!halves && (dead.ones == 0 || count >= uses[dead.ones])) dead.ones = reg;
  }
  dead.kinds[kGeneralKind] = isa::general_holders(general);
  dead.kinds[kVectorKind] = isa::vector_holders(vectors & ~dead.ones);
  return dead;
}

core::RegisterProblem::Loop LoopPlanner::registers_in(const Loop &loop, const DeadRegisters &dead) const {
  core::RegisterProblem::Loop out;
  out.parent = loop.parent;
  if (estimates() && is_search(loop)) return out;
  for (uint32_t kind : {kGeneralKind, kVectorKind}) {
    bool fits = kind == kGeneralKind || (loop.vectors != isa::VectorUse::none && (dead.halves || (loop.free & dead.ones)));
    if (!fits) continue;
    out.free[kind] = dead.bits_of(kind, loop.free);
    if (out.free[kind] == 0) continue;
    auto bit = static_cast<uint32_t>(std::countr_zero(out.free[kind]));
    out.cost[kind] = cost_of(loop, dead.holder(loop.vectors == isa::VectorUse::wide, kind, bit), StepKind::none);
  }
  return out;
}

void LoopPlanner::hold_in_dead_registers(const core::Plan &plan) {
  if (eligible_.empty()) return;
  std::vector<uint32_t> candidates;
  core::RegisterProblem problem;
  for (uint32_t k = 0; k < plan.counters.size(); ++k) {
    if (out_.find(k) != nullptr) continue;
    const core::Counter &c = plan.counters[k];
    uint32_t loop = innermost(c);
    if (loop == core::kNone) continue;
    const Site &site = c.site == core::Site::edge ? sites_.edge[c.id] : sites_.block[c.id];
    double price = isa::increment(counter_place(options_, site), site.live).price - 1 + waiting_price(loop);
    candidates.push_back(k);
    problem.counters.push_back({loop, {frequency(c) * price, frequency(c) * price}});
  }
  DeadRegisters dead = dead_registers(false);
  for (const Loop &loop : eligible_) problem.loops.push_back(registers_in(loop, dead));
  std::vector<core::RegisterChoice> chosen = core::choose_registers(problem);
  if (options_.loop_counters == Options::LoopCounters::halves) share_registers(candidates, plan, problem, dead, chosen);
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].loop == core::kNone) continue;
    const Loop &loop = eligible_[chosen[i].loop];
    hold(candidates[i], chosen[i].loop, dead.holder(loop.vectors == isa::VectorUse::wide, chosen[i].kind, chosen[i].reg), nullptr);
  }
}

// Where whole registers run out, halves may save more.
void LoopPlanner::share_registers(const std::vector<uint32_t> &candidates, const core::Plan &plan, const core::RegisterProblem &whole,
                                  DeadRegisters &dead, std::vector<core::RegisterChoice> &chosen) const {
  bool enough = std::all_of(chosen.begin(), chosen.end(), [](const core::RegisterChoice &c) { return c.loop != core::kNone; });
  DeadRegisters halves = dead_registers(true);
  if (enough || halves.kinds[kVectorKind].empty()) return;
  core::RegisterProblem problem = whole;
  problem.halves[kVectorKind] = true;
  for (size_t i = 0; i < candidates.size(); ++i) {
    problem.counters[i].saved[kVectorKind] -= kLoadPrice * frequency(plan.counters[candidates[i]]);
  }
  for (size_t l = 0; l < eligible_.size(); ++l) problem.loops[l] = registers_in(eligible_[l], halves);
  std::vector<core::RegisterChoice> shared = core::choose_registers(problem);
  if (core::saved_by(problem, shared) <= core::saved_by(whole, chosen)) return;
  chosen = std::move(shared);
  dead = std::move(halves);
}

}  // namespace chord::weave
