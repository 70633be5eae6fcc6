// What registers of the program's own count (weave/counters/loop_counters.h).
#include <algorithm>
#include <map>

#include "core/paths/alternating_steps.h"
#include "weave/counters/counter_place.h"
#include "weave/counters/loop_counters.h"

namespace chord::weave {

using assembly::Block;
using assembly::BlockKind;

namespace {

// Larger loops are not searched for vertices that several steps count.
constexpr size_t kMostTried = 100;
// Of the cost of entering and leaving a loop with one way out, where that is an estimate: a loop that runs longer
// than estimated saves far more than one that is left sooner loses.
constexpr double kEstimatedShare = 0.8;
// Loops that go on in several places have several ways out as well, as partitioning and merging do, and
// estimates end them after a few rounds.
constexpr double kEstimatedShareOfSums = 0.3;

}  // namespace

// Registers that change by one step in the loop, each time.
void LoopPlanner::offer_updates(uint32_t l) {
  std::map<isa::Resources, std::vector<uint32_t>> updates;  // register -> instructions
  bool one_step = options_.steps > Options::Steps::sums;
  isa::Resources otherwise = *isa::register_named("rsp");
  if (flags_are_kept(eligible_[l])) otherwise |= *isa::register_named("rax");  // that takes it
  for (core::Vertex v : forest_.members(eligible_[l].number)) {
    const Block &b = p_.blocks[v];
    for (uint32_t i = b.first; i < b.first + b.count; ++i) {
      const isa::Decoded &d = p_.instructions[i].decoded;
      bool steps = d.stepped != 0 && (!d.step_by_copy || options_.steps == Options::Steps::copies);
      otherwise |= d.writes & ~(steps ? d.stepped : 0);
      if (!steps) continue;
      std::vector<uint32_t> &known = updates[d.stepped];
      if (one_step && !known.empty() && p_.instructions[known[0]].decoded.step != d.step) otherwise |= d.stepped;
      known.push_back(i);
    }
  }
  for (auto &[reg, instructions] : updates) {
    std::sort(instructions.begin(), instructions.end());
    if (!(otherwise & reg)) offer(l, instructions);
  }
}

// All of them alike, or none.
StepKind LoopPlanner::kind_of(uint32_t l, const std::vector<uint32_t> &updates) {
  auto in_loop = [&](core::Vertex b) { return inside(l, b); };
  StepKind kind = StepKind::none;
  for (uint32_t i : updates) {
    if (p_.instructions[i].decoded.narrow_step) {
      if (options_.steps == Options::Steps::whole) return StepKind::none;
      if (!upper_) upper_ = assembly::compute_upper_liveness(unit_, p_);
    }
    StepKind one = kind_of_step(p_, live_, upper_ ? *upper_ : live_, in_loop, block_of_[i], i);
    if (i != updates[0] && (one != kind || one == StepKind::countdown)) return StepKind::none;
    kind = one;
  }
  return kind;
}

isa::Holder LoopPlanner::holder_of(const Offer &o) const { return {p_.instructions[o.updates[0]].decoded.stepped, 0, false}; }

void LoopPlanner::offer(uint32_t l, const std::vector<uint32_t> &updates) {
  Offer offered;
  offered.loop = l;
  offered.updates = updates;
  offered.kind = kind_of(l, updates);
  if (offered.kind == StepKind::none) return;
  offered.cost = cost_of(eligible_[l], holder_of(offered), offered.kind);
  if (estimates() && !is_search(eligible_[l])) offered.cost *= kEstimatedShare;
  if (updates.size() == 1) {
    offered.due = {block_of_[updates[0]]};
    return offer_block(block_of_[updates[0]], offered);
  }
  if (options_.steps == Options::Steps::whole || offer_blocks_followed(offered)) return;
  if (options_.steps <= Options::Steps::sums) offer_sum(std::move(offered));
}

// Blocks that one of the steps follows each time.
bool LoopPlanner::offer_blocks_followed(const Offer &common) {
  const uint32_t loop = eligible_[common.loop].number;
  std::span<const core::Vertex> members = forest_.members(loop);
  auto step = [&](uint32_t i) { return p_.instructions[i].decoded.step; };
  bool alike = std::all_of(common.updates.begin(), common.updates.end(), [&](uint32_t i) { return step(i) == step(common.updates[0]); });
  if (!alike || members.size() > kMostTried) return false;
  std::vector<uint8_t> stepping(p_.blocks.size());
  for (uint32_t i : common.updates) stepping[block_of_[i]] = stepping[block_of_[i]] == 0 ? 1 : 2;
  bool any = false;
  for (core::Vertex v : members) {
    if (p_.blocks[v].kind != BlockKind::code) continue;
    auto due = core::alternating_steps(graph_, forest_, loop, v, stepping, never_);
    if (!due) continue;
    Offer offered = common;
    offered.due = *due;
    offer_block(v, std::move(offered));
    any = true;
  }
  return any;
}

// All blocks with a step, each times what it adds.
void LoopPlanner::offer_sum(Offer offered) {
  std::map<core::Vertex, int32_t> times;  // block -> step
  for (uint32_t i : offered.updates) {
    if (!times.emplace(block_of_[i], p_.instructions[i].decoded.step).second) return;
  }
  for (auto [block, step] : times) {
    offered.due.push_back(block);
    offered.terms.push_back({block, step});
  }
  if (estimates()) offered.cost = kEstimatedShareOfSums * cost_of(eligible_[offered.loop], holder_of(offered), offered.kind);
  offers_.push_back(std::move(offered));
}

void LoopPlanner::offer_block(core::Vertex block, Offer offered) {
  std::vector<core::EdgeId> ways;
  for (core::EdgeId e : graph_.in(block)) {
    if (is_real(p_.edges[e])) ways.push_back(e);
  }
  offered.counter = {core::Site::vertex, block};
  if (ways.size() == 1) offered.counter = {core::Site::edge, ways[0]};
  auto known = std::find_if(offers_.begin(), offers_.end(),
                            [&](const Offer &o) { return o.terms.empty() && o.counter == offered.counter; });
  if (known == offers_.end()) {
    offers_.push_back(std::move(offered));
  } else if (offered.cost < known->cost) {
    *known = std::move(offered);
  }
}

// The cheapest one that gives what the counter holds; of sums the plan has none but those.
const LoopPlanner::Offer *LoopPlanner::offer_for(const core::Plan &plan, uint32_t k) const {
  const core::Counter &c = plan.counters[k];
  const Offer *best = nullptr;
  for (const Offer &o : offers_) {
    bool fits = c.site == core::Site::sum ? o.terms == plan.sums[c.id].terms : o.terms.empty() && o.counter == c;
    if (fits && (best == nullptr || o.cost < best->cost)) best = &o;
  }
  return best;
}

void LoopPlanner::hold_offers(const core::Plan &plan) {
  for (uint32_t k = 0; k < plan.counters.size(); ++k) {
    const Offer *o = offer_for(plan, k);
    if (o == nullptr) continue;
    const core::Counter &c = plan.counters[k];
    if (c.site != core::Site::sum) {
      const Site &site = c.site == core::Site::edge ? sites_.edge[c.id] : sites_.block[c.id];
      double plain = frequency(c) * isa::increment(counter_place(options_, site), site.live).price;
      if (site.exists() && plain <= o->cost) continue;
    }
    hold(k, o->loop, holder_of(*o), o);
  }
}

}  // namespace chord::weave
