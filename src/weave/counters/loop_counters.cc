#include "weave/counters/loop_counters.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "weave/counters/counter_place.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::Block;
using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;
using assembly::Instruction;

namespace {

// An increment in memory waits for the one of the round before, which takes as long as about
// this many instructions. In longer rounds it costs little more than any other.
constexpr double kMemoryLatency = 15, kPerInstruction = 0.2, kLeastPrice = 0.1;

isa::VectorUse both(isa::VectorUse a, isa::VectorUse b) { return std::max(a, b); }

}  // namespace

LoopPlanner::LoopPlanner(const ProcedureFacts &facts, const assembly::Liveness &liveness, const Sites &sites)
    : unit_(facts.unit()), p_(facts.p), live_(liveness), sites_(sites), weights_(facts.weights), options_(facts.options()),
      graph_(facts.graph) {
  const assembly::Procedure &p = p_;
  for (const Instruction &in : p.instructions) {
    // What is put in a loop might push the target of such a branch out of reach.
    if (in.decoded.short_only) return;
    if (!in.padding) procedure_vectors_ = both(procedure_vectors_, isa::vector_use(in.decoded));
  }
  forest_ = core::find_loops(graph_, core::depth_first_order(graph_));
  for (const Edge &e : p.edges) never_.push_back(e.kind == EdgeKind::never);
  block_of_.assign(p.instructions.size(), core::kNone);
  for (core::Vertex b = 0; b < p.blocks.size(); ++b) std::fill_n(block_of_.begin() + p.blocks[b].first, p.blocks[b].count, b);
  std::map<uint32_t, uint32_t> eligible;  // loop -> index
  for (uint32_t l = 0; l < forest_.loops.size(); ++l) {
    Loop loop;
    loop.number = l;
    if (!find_crossings(loop) || !read_code(loop)) continue;
    // A loop around this one that is left alone may lie in one that is not.
    for (uint32_t around = forest_.loops[l].parent; around != core::kNone; around = forest_.loops[around].parent) {
      auto it = eligible.find(around);
      if (it == eligible.end()) continue;
      loop.parent = it->second;
      break;
    }
    eligible.emplace(l, static_cast<uint32_t>(eligible_.size()));
    eligible_.push_back(std::move(loop));
  }
  for (uint32_t l = 0; l < eligible_.size(); ++l) offer_updates(l);
}

// False unless the loop is entered at its head alone, and all ways can carry code.
bool LoopPlanner::find_crossings(Loop &loop) const {
  const core::Loop &shape = forest_.loops[loop.number];
  std::vector<core::Vertex> left;
  for (core::Vertex v : forest_.members(loop.number)) {
    for (core::EdgeId e : graph_.in(v)) {
      if (!is_real(p_.edges[e]) || forest_.contains(loop.number, p_.edges[e].from)) continue;
      if (v != shape.header || !sites_.edge[e].exists()) return false;
      loop.entries.push_back(e);
    }
  }
  for (core::EdgeId e : shape.exits) {
    if (!is_real(p_.edges[e])) continue;
    core::Vertex to = p_.edges[e].to;
    const std::vector<core::EdgeId> &in = graph_.in(to);
    bool shared = p_.blocks[to].kind == BlockKind::code && sites_.block[to].kind == Site::Kind::before &&
                  std::all_of(in.begin(), in.end(), [&](core::EdgeId x) {
                    return !is_real(p_.edges[x]) || forest_.contains(loop.number, p_.edges[x].from);
                  });
    if (shared) {
      left.push_back(to);
    } else if (sites_.edge[e].exists()) {
      loop.exits.push_back(e);
    } else {
      return false;
    }
  }
  std::sort(left.begin(), left.end());
  left.erase(std::unique(left.begin(), left.end()), left.end());
  loop.targets = std::move(left);
  return true;
}

// False if the loop holds anything that could look at, or end, the activation. Finds
// the registers that are dead throughout.
bool LoopPlanner::read_code(Loop &loop) const {
  isa::Resources used = 0;
  bool mixed[3] = {};
  for (core::Vertex v : forest_.members(loop.number)) {
    const Block &b = p_.blocks[v];
    if (b.kind != BlockKind::code && b.kind != BlockKind::join) return false;
    used |= live_.block_in[v];
    for (uint32_t i = b.first; i < b.first + b.count; ++i) {
      const isa::Decoded &d = p_.instructions[i].decoded;
      if (d.flow == isa::Flow::call || d.flow == isa::Flow::leave || d.unknown_effects || d.indirect) return false;
      used |= d.reads | d.writes | live_.before[i];
      mixed[static_cast<int>(isa::vector_use(d))] = true;
    }
  }
  for (core::EdgeId e : loop.entries) used |= sites_.edge[e].live;
  for (core::EdgeId e : loop.exits) used |= sites_.edge[e].live;
  for (core::Vertex b : loop.targets) used |= sites_.block[b].live;
  loop.free = isa::all_registers() & ~used;
  bool wide = mixed[static_cast<int>(isa::VectorUse::wide)], legacy = mixed[static_cast<int>(isa::VectorUse::legacy)];
  // The encodings do not mix well: one by one, in a loop and in the procedure around it.
  if (wide && !legacy) {
    loop.vectors = isa::VectorUse::wide;
  } else if (!wide && procedure_vectors_ != isa::VectorUse::wide) {
    loop.vectors = isa::VectorUse::legacy;
  }
  return true;
}

// ---- costs ----

template <class Visit>
void LoopPlanner::for_each_crossing(const Loop &loop, bool in, const Sites &sites, Visit visit) const {
  for (core::EdgeId e : in ? loop.entries : loop.exits) visit(sites.edge[e], e, weights_[e]);
  if (in) return;
  for (core::Vertex b : loop.targets) visit(sites.block[b], core::kNone, frequency({core::Site::vertex, b}));
}

template <class Make>
double LoopPlanner::ways_cost(const Loop &loop, bool in, Make make) const {
  double cost = 0;
  for_each_crossing(loop, in, sites_, [&](const Site &site, core::EdgeId, double weight) {
    cost += weight * (make(site).price + (site.is_stub() ? 1 : 0));
  });
  return cost;
}

isa::Snippet LoopPlanner::taking(const isa::AnyPlace &place, const isa::Holder &holder, StepKind by_program,
                                 isa::Resources live) {
  if (by_program == StepKind::none) return isa::clear(holder, live);
  isa::Snippet s = isa::subtract_register(place, holder, live);
  if (by_program != StepKind::countdown) return s;
  isa::Snippet first = isa::widen_countdown(holder);
  s.text = first.text + s.text;
  s.price += first.price;
  return s;
}

double LoopPlanner::cost_of(const Loop &loop, const isa::Holder &holder, StepKind by_program) const {
  auto at = [&](const Site &site) { return counter_place(options_, site); };  // of any counter: they cost the same
  double in = ways_cost(loop, true, [&](const Site &site) {
    isa::Snippet s = taking(at(site), holder, by_program, site.live);
    if (holder.ones != 0) s.price += isa::fill_ones(holder).price;
    return s;
  });
  return in + ways_cost(loop, false, [&](const Site &site) { return isa::add_register(at(site), holder, site.live); });
}

bool LoopPlanner::flags_are_kept(const Loop &loop) const {
  bool kept = false;
  auto look = [&](const Site &site, core::EdgeId, double) { kept = kept || (site.live & isa::all_flags()); };
  for_each_crossing(loop, true, sites_, look);
  for_each_crossing(loop, false, sites_, look);
  return kept;
}

double LoopPlanner::frequency(const core::Counter &c) const {
  if (c.site == core::Site::edge) return weights_[c.id];
  double sum = 0;
  for (core::EdgeId e : graph_.in(c.vertex())) sum += weights_[e];
  return sum;
}

// What an increment in memory costs beyond its instructions, in that loop.
double LoopPlanner::waiting_price(uint32_t l) const {
  double instructions = 0, rounds = frequency({core::Site::vertex, forest_.loops[eligible_[l].number].header});
  if (rounds <= 0) return 0;
  for (core::Vertex v : forest_.members(eligible_[l].number)) {
    instructions += frequency({core::Site::vertex, v}) * p_.blocks[v].count;
  }
  return std::max(kLeastPrice, (kMemoryLatency - instructions / rounds) * kPerInstruction);
}

// ---- the result ----

void LoopPlanner::hold(uint32_t counter, uint32_t l, const isa::Holder &holder, const Offer *offer) {
  format::Held held;
  held.counter = counter;
  held.place = isa::recorded_number(holder);
  StepKind kind = offer == nullptr ? StepKind::none : offer->kind;
  if (offer != nullptr) {
    held.updates = offer->updates;
    held.due = offer->due;
    if (offer->terms.empty()) held.step = p_.instructions[offer->updates[0]].decoded.step;
  }
  for (core::Vertex v : forest_.members(eligible_[l].number)) held.blocks.push_back(v);
  std::sort(held.blocks.begin(), held.blocks.end());
  out_.held.push_back(std::move(held));
  out_.counters.push_back({counter, holder, kind});
  if (kind == StepKind::widened) out_.widened.insert(offer->updates.begin(), offer->updates.end());
  loop_of_held_.push_back(l);
}

void LoopPlanner::keep_live(Sites &sites) const {
  for (size_t h = 0; h < out_.held.size(); ++h) {
    const Loop &loop = eligible_[loop_of_held_[h]];
    isa::Resources used = out_.counters[h].holder.resources();
    auto keep = [&](Site &site) {
      site.live |= used;
      site.held |= used;
    };
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (forest_.contains(loop.number, p_.edges[e].from) || forest_.contains(loop.number, p_.edges[e].to)) keep(sites.edge[e]);
    }
    for (core::Vertex b : out_.held[h].blocks) keep(sites.block[b]);
    for (core::Vertex b : loop.targets) keep(sites.block[b]);
  }
}

// Of two halves the high one is taken first, and released last: with it goes the low one.
std::vector<uint32_t> LoopPlanner::held_with_halves(bool high_first) const {
  std::vector<uint32_t> order(out_.held.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(),
                        [&](uint32_t h) { return (out_.counters[h].holder.part == isa::Holder::Part::high) == high_first; });
  return order;
}

void LoopPlanner::write_insertions(uint32_t n, const Sites &sites) {
  auto place_of_held = [&](uint32_t h, const Site &site) {
    return counter_place(options_, site, counters_label(n), out_.counters[h].counter);
  };
  // An edge that leaves one loop may enter another that counts in the same register: first
  // everything is released, then taken.
  for (uint32_t h : held_with_halves(false)) {
    for_each_crossing(eligible_[loop_of_held_[h]], false, sites, [&](const Site &site, core::EdgeId edge, double) {
      isa::Snippet s = isa::add_register(place_of_held(h, site), out_.counters[h].holder, site.live);
      out_.insertions.push_back({site, edge, std::move(s), Effect::release, h});
    });
  }
  std::vector<isa::Resources> filled(eligible_.size()), cleared(eligible_.size());
  for (uint32_t h : held_with_halves(true)) {
    const HeldCounter &c = out_.counters[h];
    uint32_t l = loop_of_held_[h];
    for_each_crossing(eligible_[l], true, sites, [&](const Site &site, core::EdgeId edge, double) {
      // Where it is taken on the way out of a block, what counts the way into the block comes first: that knows nothing of the register.
      const Phase phase = edge != core::kNone && leaves_block(p_, site, edge) ? Phase::leaving : Phase::entering;
      bool fill = c.holder.ones != 0 && !(filled[l] & c.holder.ones);
      if (fill) out_.insertions.push_back({site, edge, isa::fill_ones(c.holder), Effect::none, 0, phase});
      bool is_clear = c.by_program == StepKind::none && (cleared[l] & c.holder.reg);
      isa::Snippet s = is_clear ? isa::Snippet{} : taking(place_of_held(h, site), c.holder, c.by_program, site.live);
      out_.insertions.push_back({site, edge, std::move(s), Effect::hold, h, phase});
    });
    filled[l] |= c.holder.ones;
    if (c.holder.part == isa::Holder::Part::high) cleared[l] |= c.holder.reg;
  }
}

LoopCounters LoopPlanner::choose(const core::Plan &plan, uint32_t n, Sites &sites) {
  hold_offers(plan);
  hold_in_dead_registers(plan);
  keep_live(sites);
  write_insertions(n, sites);
  return std::move(out_);
}

}  // namespace chord::weave
