#include "analysis/contexts/contexts.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "analysis/contexts/context_pattern.h"
#include "base/diagnostics.h"
#include "base/hash.h"
#include "format/facts/context_sites.h"

namespace chord::analysis {
namespace {

using Thread = uint32_t;

base::Error defect(const std::string &what) {
  return base::Error(fmt::format("the calling contexts contradict each other: {}", what),
                     "report this with the profile; without --context the same build counts without them");
}

// How many different paths came to each call.
std::vector<uint32_t> paths_to_calls(const CountedProcedure &counted) {
  const format::Procedure &map = *counted.map;
  if (map.plan.placement != core::Placement::paths) return {};
  const std::vector<uint32_t> sites = format::context_sites(map);
  std::vector<uint32_t> paths(sites.size());
  for (const CountedPath &path : counted.paths) {
    if (path.count <= 0) continue;
    std::vector<bool> holds(map.blocks.size());
    for (uint32_t b : blocks_of(map, path)) holds[b] = true;
    for (uint32_t b = 0; b < map.blocks.size(); ++b) {
      const uint32_t first = map.blocks[b].first, end = first + map.blocks[b].count;
      const bool ends_here = path.partial && b == path.last_block;
      for (auto at = std::lower_bound(sites.begin(), sites.end(), first); holds[b] && at != sites.end() && *at < end; ++at) {
        const bool reached = !ends_here || *at < path.instruction || (*at == path.instruction && path.executed);
        if (reached) ++paths[static_cast<size_t>(at - sites.begin())];
      }
    }
  }
  return paths;
}

// What a procedure did by its counters. Contexts of one procedure often have the same ones (each was called once, say), so the last results
// are remembered.
class Solver {
 public:
  struct Costs {
    uint64_t calls = 0, instructions = 0, paths = 0;
    MetricValues metrics = {};  // that follow from counts
    std::shared_ptr<const ContextDetails> details = {};
  };
  Solver(CostMetric &cost, bool cut_off, bool keeps_details) : cost_(cost), cut_off_(cut_off), keeps_details_(keeps_details) {}

  // Without early exits: the counters decide.
  Costs of(const CountedProcedure &procedure, std::span<const uint64_t> counters, uint64_t key) {
    std::vector<Known> &known = known_[&procedure];
    known.resize(kRemembered);
    base::Hash hash;
    for (uint64_t counter : counters) hash.add(counter);
    Known &place = known[hash.value() % kRemembered];
    if (!place.used || !std::ranges::equal(place.counters, counters)) {
      MeasuredProcedure measured;
      measured.counters.assign(counters.begin(), counters.end());
      measured.cut_off = cut_off_;
      place = {true, measured.counters, of(procedure, measured, key)};
    }
    return place.costs;
  }

  Costs of(const CountedProcedure &procedure, const MeasuredProcedure &measured, uint64_t key) {
    CountedProcedure counted;
    counted.map = procedure.map;
    count_procedure(measured, counted);
    if (!counted.problem.empty()) throw defect(fmt::format("{} in context {:#x}: {}", counted.map->name, key, counted.problem));
    Costs costs{counted.calls, counted.instructions};
    for (const CountedPath &path : counted.paths) costs.paths += path.partial ? 0 : static_cast<uint64_t>(path.count);
    cost_.add(counted, *procedure.unit, costs.metrics);
    if (keeps_details_) costs.details = std::make_shared<const ContextDetails>(ContextDetails{counted.executed, paths_to_calls(counted)});
    return costs;
  }

 private:
  static constexpr size_t kRemembered = 256;
  struct Known {
    bool used = false;
    std::vector<uint64_t> counters;
    Costs costs;
  };
  CostMetric &cost_;
  bool cut_off_, keeps_details_;
  std::unordered_map<const CountedProcedure *, std::vector<Known>> known_;
};

// The instructions that call, by number of the call.
class Sites {
 public:
  uint32_t find(const std::vector<ContextCounter::Module> &modules, uint32_t caller, uint32_t site) {
    auto [known, fresh] = known_.try_emplace(caller);
    if (fresh) {
      for (const ContextCounter::Module &m : modules) {
        if (caller >= m.first && caller < m.first + m.procedures->size()) known->second = format::context_sites(*(*m.procedures)[caller - m.first].map);
      }
    }
    return site < known->second.size() ? known->second[site] : core::kNone;
  }

 private:
  std::unordered_map<uint32_t, std::vector<uint32_t>> known_;  // by procedure of the program
};

size_t hash_of(Thread thread, uint64_t key) {
  uint64_t mixed = (key ^ thread * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  return mixed ^ mixed >> 32;
}

}  // namespace

uint32_t &ContextCounter::slot_of(Thread thread, uint64_t key) {
  for (size_t at = hash_of(thread, key);; ++at) {
    uint32_t &slot = slots_[at & (slots_.size() - 1)];
    if (slot == core::kNone || (sums_[slot].thread == thread && sums_[slot].key == key)) return slot;
  }
}

uint32_t ContextCounter::find(Thread thread, uint64_t key) const {
  return sums_.empty() ? core::kNone : const_cast<ContextCounter *>(this)->slot_of(thread, key);
}

// At most half full, so that the next gap is near.
void ContextCounter::grow() {
  if (2 * (sums_.size() + 1) <= slots_.size()) return;
  slots_.assign(std::max<size_t>(1024, 2 * slots_.size()), core::kNone);
  for (uint32_t n = 0; n < sums_.size(); ++n) slot_of(sums_[n].thread, sums_[n].key) = n;
}

void ContextCounter::add(const format::ContextCounts &counts, uint32_t module) {
  grow();
  uint32_t &slot = slot_of(counts.thread, counts.key);
  if (slot == core::kNone) {
    slot = static_cast<uint32_t>(sums_.size());
    sums_.push_back({counts.key, counts.parent, counts.procedure, counts.thread, module, counts.kind, counts.site, counters_.size(),
                     static_cast<uint32_t>(counts.counters.size())});
    counters_.insert(counters_.end(), counts.counters.begin(), counts.counters.end());
    return;
  }
  const Sum &sum = sums_[slot];
  if (sum.module != module || sum.procedure != counts.procedure || sum.counters != counts.counters.size())
    throw defect(fmt::format("two have the key {:#x}", counts.key));
  for (size_t i = 0; i < counts.counters.size(); ++i) counters_[sum.first + i] += counts.counters[i];
}

void ContextCounter::check(const std::vector<Module> &modules) const {
  std::vector<std::unordered_map<uint32_t, std::vector<uint64_t>>> totals(modules.size());
  for (const Sum &sum : sums_) {
    if (sum.parent != 0 && find(sum.thread, sum.parent) == core::kNone) throw defect(fmt::format("the parent of {:#x} is missing", sum.key));
    uint64_t above = sum.parent != 0 ? sum.parent : CHORD_CONTEXT_ROOT_KEY(sum.kind);
    if (sum.key != CHORD_CONTEXT_KEY(above, 1 + uint64_t{sum.site}, sum.procedure)) throw defect(fmt::format("{:#x} is not the key of its place", sum.key));
    const uint32_t *procedure = modules[sum.module].find(sum.procedure);
    if (procedure == nullptr) throw defect(fmt::format("{:#x} is of no procedure", sum.key));
    std::vector<uint64_t> &total = totals[sum.module][*procedure];
    std::span<const uint64_t> counters = counters_of(sum);
    total.resize(std::max(total.size(), counters.size()));
    for (size_t i = 0; i < counters.size(); ++i) total[i] += counters[i];
  }
  for (size_t m = 0; m < modules.size(); ++m) {
    for (auto &[procedure, total] : totals[m]) {
      std::vector<uint64_t> counters = (*modules[m].measured)[procedure].counters;
      counters.resize(std::max(counters.size(), total.size()));  // what did not run may be left out
      if (total != counters)
        throw defect(fmt::format("those of {} do not add up to its counts", (*modules[m].procedures)[procedure].map->name));
    }
  }
}

const CountedProcedure &ContextCounter::procedure_of(const std::vector<Module> &modules, const Sum &sum) {
  const Module &module = modules[sum.module];
  return (*module.procedures)[*module.find(sum.procedure)];
}

MeasuredProcedure ContextCounter::measured_of(const std::vector<Module> &modules, uint32_t number) const {
  if (auto found = measured_.find(number); found != measured_.end()) return found->second;
  MeasuredProcedure measured;
  std::span<const uint64_t> counters = counters_of(sums_[number]);
  measured.counters.assign(counters.begin(), counters.end());
  measured.cut_off = cut_off_;
  split_metrics(*procedure_of(modules, sums_[number]).map, measured);
  return measured;
}

// Each context by itself is a procedure that obeys the flow law, so what ended early in it is its own.
ContextCounter::Measured ContextCounter::with_early_exits(const std::vector<Module> &modules, const ExitSums &exits, const AddExits &add_exits) const {
  // By name of the context, without the path that its lower bits may tell.
  std::unordered_map<uint64_t, std::vector<std::pair<ExitSums::key_type, int64_t>>> waiting, waiting_on_paths;
  for (const auto &[place, count] : exits) {
    if (std::get<3>(place) == 0) continue;
    waiting[std::get<3>(place)].emplace_back(place, count);
    waiting_on_paths[CHORD_CONTEXT_PATH_NAME(std::get<3>(place))].emplace_back(place, count);
  }
  Measured out;
  std::vector<std::vector<MeasuredProcedure>> scratch(modules.size());
  for (uint32_t n = 0; n < sums_.size() && !exits.empty(); ++n) {
    const uint64_t name = CHORD_CONTEXT_EXIT(sums_[n].key, sums_[n].thread);
    const bool on_paths = procedure_of(modules, sums_[n]).map->plan.paths.in_records;
    auto &named = on_paths ? waiting_on_paths : waiting;
    auto found = named.find(on_paths ? CHORD_CONTEXT_PATH_NAME(name) : name);
    if (found == named.end()) continue;
    if (found->second.empty()) throw defect(fmt::format("where activations ended early {:#x} and another are not told apart", sums_[n].key));
    const uint32_t module = sums_[n].module;
    std::vector<MeasuredProcedure> &measured = scratch[module];
    measured.resize(modules[module].procedures->size());
    MeasuredProcedure &procedure = measured[*modules[module].find(sums_[n].procedure)];
    procedure = measured_of(modules, n);
    add_exits(module, ExitSums(found->second.begin(), found->second.end()), measured);
    out[n] = std::move(procedure);
    procedure = {};
    found->second.clear();
  }
  return out;
}

// Parents first; children of one in the order of their calls, roots in that of their keys.
std::vector<uint32_t> ContextCounter::in_tree_order() const {
  std::vector<uint32_t> first_child(sums_.size() + 1, core::kNone), next(sums_.size(), core::kNone), order(sums_.size());
  std::iota(order.begin(), order.end(), 0u);
  // Lists are filled from their ends, so what comes first must be added last.
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    const Sum &x = sums_[a], &y = sums_[b];
    return std::tie(x.thread, x.site, x.key) > std::tie(y.thread, y.site, y.key);
  });
  for (uint32_t n : order) {
    uint32_t &list = first_child[sums_[n].parent == 0 ? sums_.size() : find(sums_[n].thread, sums_[n].parent)];
    next[n] = list;
    list = n;
  }
  order.clear();
  std::vector<uint32_t> stack;
  for (uint32_t at = first_child.back(); at != core::kNone;) {
    order.push_back(at);
    if (next[at] != core::kNone) stack.push_back(next[at]);
    at = first_child[at];
    if (at == core::kNone && !stack.empty()) {
      at = stack.back();
      stack.pop_back();
    }
  }
  if (order.size() != sums_.size()) throw defect("some are their own parents");
  return order;
}

std::vector<CountedContext> ContextCounter::count(const std::vector<Module> &modules, const ExitSums &exits, const Metrics &metrics,
                                                  const AddExits &add_exits) {
  measured_ = with_early_exits(modules, exits, add_exits);
  std::vector<CountedContext> contexts;
  contexts.reserve(sums_.size());
  std::vector<uint32_t> place(sums_.size());  // in `contexts`, by number of the sum
  Solver solver(metrics.cost, cut_off_, keeps_details_);
  Sites sites;
  for (uint32_t n : in_tree_order()) {
    const Sum &sum = sums_[n];
    const Module &module = modules[sum.module];
    const uint32_t procedure = *module.find(sum.procedure);
    auto early = measured_.find(n);
    const CountedProcedure &of = (*module.procedures)[procedure];
    std::span<const uint64_t> all = counters_of(sum), counters = all.first(std::min<size_t>(all.size(), of.map->plan.words()));
    const Solver::Costs costs = early == measured_.end() ? solver.of(of, counters, sum.key) : solver.of(of, early->second, sum.key);
    CountedContext c{sum.key, sum.thread, sum.kind, core::kNone, module.first + procedure, core::kNone, costs.calls, costs.instructions, costs.instructions, costs.paths};
    std::span<const uint64_t> sums = all.subspan(counters.size());
    c.metrics = read_metrics(*of.map, {sums.begin(), sums.end()}, metrics.names).own;
    add_to(c.metrics, costs.metrics);
    c.metrics_inclusive = c.metrics;
    c.details = costs.details;
    if (sum.parent != 0) {
      c.parent = place[find(sum.thread, sum.parent)];
      c.site = sites.find(modules, contexts[c.parent].procedure, sum.site);
    }
    place[n] = static_cast<uint32_t>(contexts.size());
    contexts.push_back(c);
  }
  for (size_t i = contexts.size(); i-- > 0;) {
    if (contexts[i].parent != core::kNone) {
      uint64_t &above = contexts[contexts[i].parent].inclusive;
      above = checked_add(above, contexts[i].inclusive, "calling contexts");
      add_to(contexts[contexts[i].parent].metrics_inclusive, contexts[i].metrics_inclusive);
    }
  }
  return contexts;
}

void ContextCounter::restrict(const std::string &wanted, std::vector<Module> &modules, const std::vector<CountedContext> &contexts) {
  auto name_of = [&](uint32_t procedure) -> const std::string & {
    for (const Module &m : modules) {
      if (procedure >= m.first && procedure < m.first + m.procedures->size()) return (*m.procedures)[procedure - m.first].map->name;
    }
    throw base::Error("a calling context of no procedure");
  };
  std::vector<bool> chosen = chosen_contexts(wanted, contexts, name_of);
  for (Module &m : modules) {
    for (MeasuredProcedure &measured : *m.measured) measured = {};
  }
  for (size_t i = 0; i < contexts.size(); ++i) {
    if (!chosen[i]) continue;
    const uint32_t number = find(contexts[i].thread, contexts[i].key);
    const Module &m = modules[sums_[number].module];
    const MeasuredProcedure own = measured_of(modules, number);
    MeasuredProcedure &measured = (*m.measured)[contexts[i].procedure - m.first];
    measured.counters.resize(std::max(measured.counters.size(), own.counters.size()));
    for (size_t k = 0; k < own.counters.size(); ++k) measured.counters[k] += own.counters[k];
    measured.metrics.resize(std::max(measured.metrics.size(), own.metrics.size()));
    for (size_t k = 0; k < own.metrics.size(); ++k) measured.metrics[k] += own.metrics[k];
    measured.exits.insert(measured.exits.end(), own.exits.begin(), own.exits.end());
  }
}

}  // namespace chord::analysis
