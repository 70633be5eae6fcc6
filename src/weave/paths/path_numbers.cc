#include "weave/paths/path_numbers.h"

#include <algorithm>

#include "core/paths/chosen_paths.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;

namespace {

// Numbers are below; where there would be more, paths are cut shorter. Not near 2^64, so that
// the sums which tell partial paths that never return (core/paths/path_numbering.h) have room.
constexpr uint64_t kMostPaths = uint64_t{1} << 62;

// Instructions that looking up a counter takes, and the share of a procedure's own that may go
// into it. Where loops are so short that it would be more, a table and shorter paths are better.
constexpr double kLookupPrice = 9, kMostForLookups = 1.0 / 10;

constexpr double kHelpless = 1e6;

}  // namespace

PathNumbers::PathNumbers(const ProcedureFacts &facts, const Sites &sites, const assembly::Liveness &liveness)
    : facts_(facts), p_(facts.p), live_(liveness), graph_(facts.graph), site_(sites.edge), forced_(p_.edges.size()) {
  cut_at_landings();
}

bool PathNumbers::is_silent(const Edge &e) const {
  return e.kind == EdgeKind::never || (e.from == 0 && p_.blocks[e.to].kind == BlockKind::landing);
}

void PathNumbers::cut_at_landings() {
  for (uint32_t e = 1; e < p_.edges.size(); ++e) {
    const Edge &x = p_.edges[e];
    if (p_.blocks[x.to].kind != BlockKind::landing) continue;
    forced_[e] = true;
    if (facts_.is_code(x.from)) site_[e] = before_last(x.from);
  }
}

// In front of the call that returns twice.
Site PathNumbers::before_last(uint32_t b) const {
  const assembly::Instruction &last = p_.instructions[facts_.last_of(b)];
  Site s;
  s.kind = Site::Kind::before;
  s.statement = last.first_statement;
  s.fragment = last.fragment;
  s.live = live_.before[facts_.last_of(b)];
  s.block = b;
  s.next = s.due = facts_.last_of(b);
  s.ahead = true;
  return s;
}

uint64_t PathNumbers::largest_table() const { return std::max<uint64_t>(core::kLargestPathTable, 2 * p_.edges.size()); }

std::optional<core::PathNumbering> PathNumbers::numbered(uint64_t limit, std::string &why_not) const {
  std::vector<bool> never = facts_.options().except_noise ? format::never_edges(facts_.map) : std::vector<bool>{};
  return core::number_paths(graph_, cut_costs(), limit, why_not, forced_, never);
}

std::optional<bool> PathNumbers::cut_elsewhere(std::string &why_not) {
  bool again = false;
  for (uint32_t e = 1; e < p_.edges.size(); ++e) {
    if (!numbering_->cut[e] || is_silent(p_.edges[e]) || site_[e].exists()) continue;
    for (core::EdgeId out : graph_.out(p_.edges[e].to)) {
      if (!site_[out].exists() || forced_[out]) {
        why_not = "a path ends on an edge that cannot carry a probe";
        return std::nullopt;
      }
      forced_[out] = again = true;
    }
  }
  return again;
}

bool PathNumbers::number(std::string &why_not) {
  for (;;) {
    numbering_ = numbered(kMostPaths, why_not);
    if (!numbering_) return false;
    if (numbering_->paths > largest_table() && looks_up_too_often()) {
      std::string too_many;  // where even the shortest paths are, they are looked up all the same
      if (auto shorter = numbered(largest_table(), too_many)) numbering_ = std::move(shorter);
    }
    std::optional<bool> again = cut_elsewhere(why_not);
    if (!again) return false;
    if (!*again) return true;
  }
}

bool PathNumbers::number_up_to(uint64_t limit, std::string &why_not) {
  for (;;) {
    numbering_ = numbered(limit, why_not);
    if (!numbering_) return false;
    std::optional<bool> again = cut_elsewhere(why_not);
    if (!again) return false;
    if (!*again) return true;
  }
}

// Where a path can end, and what a count costs there. An edge that cannot carry a probe is cut
// only if nothing else helps: then others have to be in its place.
std::vector<double> PathNumbers::cut_costs() const {
  std::vector<double> cost = costs();
  for (uint32_t e = 1; e < p_.edges.size(); ++e) {
    if (is_silent(p_.edges[e])) cost[e] = 0;
    if (cost[e] == kImpossible) cost[e] = kHelpless * (1 + facts_.weights[e]);
  }
  return cost;
}

bool PathNumbers::looks_up_too_often() const {
  double lookups = 0, instructions = 0;
  for (uint32_t e = 1; e < p_.edges.size(); ++e) {
    const Edge &x = p_.edges[e];
    if (is_silent(x)) continue;
    if (numbering_->cut[e] || x.to == 1) lookups += facts_.weights[e];
    instructions += facts_.weights[e] * p_.blocks[x.to].count;
  }
  return kLookupPrice * lookups > kMostForLookups * instructions;
}

std::vector<double> PathNumbers::costs() const {
  std::vector<double> cost(p_.edges.size(), kImpossible);
  for (uint32_t e = 1; e < p_.edges.size(); ++e) {
    if (site_[e].exists()) cost[e] = facts_.weights[e] * (1 + (site_[e].is_stub() ? kStubPrice : 0));
  }
  return cost;
}

std::vector<core::EdgeId> PathNumbers::in_order_of_probes() const {
  std::vector<uint32_t> successors(p_.blocks.size());
  std::vector<core::EdgeId> order;
  for (core::EdgeId e = 1; e < p_.edges.size(); ++e) successors[p_.edges[e].from] += p_.edges[e].kind != EdgeKind::never;
  for (bool at_source : {false, true}) {
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      if (is_silent(x) || (facts_.is_code(x.from) && successors[x.from] == 1) != at_source) continue;
      order.push_back(e);
    }
  }
  return order;
}

std::vector<core::Counter> PathNumbers::beginnings() const {
  std::vector<core::Counter> counters;
  for (uint32_t e = 1; e < p_.edges.size(); ++e) {
    const Edge &x = p_.edges[e];
    bool begins = x.kind == EdgeKind::enter || p_.blocks[x.from].kind == BlockKind::landing;
    if (begins && !is_silent(x)) counters.push_back({core::Site::edge, e});
  }
  return counters;
}

std::optional<uint32_t> index_of_beginning(const core::Plan &plan, core::EdgeId edge) {
  auto found = std::find(plan.counters.begin(), plan.counters.end(), core::Counter{core::Site::edge, edge});
  return found == plan.counters.end() ? std::nullopt : std::optional(static_cast<uint32_t>(found - plan.counters.begin()));
}

int64_t PathNumbers::start_at(core::Vertex landing, const core::PathProbes &probes) const {
  for (core::EdgeId in : graph_.in(landing)) {
    if (numbering_->cut[in]) return probes.edge[in].restart;
  }
  return 0;
}

}  // namespace chord::weave
