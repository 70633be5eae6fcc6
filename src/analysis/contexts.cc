#include "analysis/contexts.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/context_pattern.h"
#include "base/diagnostics.h"
#include "format/context_sites.h"

namespace chord::analysis {
namespace {

using Thread = uint32_t;

base::Error defect(const std::string &what) {
  return base::Error(fmt::format("the calling contexts contradict each other: {}", what),
                     "report this with the profile; without --context the same build counts without them");
}

uint64_t expected_key(const format::ContextCounts &c) {
  uint64_t above = c.parent != 0 ? c.parent : CHORD_CONTEXT_ROOT_KEY(c.kind);
  return CHORD_CONTEXT_KEY(above, 1 + uint64_t{c.site}, c.procedure);
}

}  // namespace

void ContextCounter::add(const format::ContextCounts &counts, uint32_t module) {
  auto [at, fresh] = sums_.try_emplace({counts.thread, counts.key});
  Sum &sum = at->second;
  if (fresh) {
    sum.counts = counts;
    sum.module = module;
  } else {
    if (sum.module != module || sum.counts.procedure != counts.procedure || sum.counts.counters.size() != counts.counters.size())
      throw defect(fmt::format("two have the key {:#x}", counts.key));
    for (size_t i = 0; i < counts.counters.size(); ++i) sum.counts.counters[i] += counts.counters[i];
  }
}

void ContextCounter::check(const std::vector<Module> &modules) const {
  std::vector<std::unordered_map<uint32_t, std::vector<uint64_t>>> totals(modules.size());
  for (const auto &[name, sum] : sums_) {
    const format::ContextCounts &c = sum.counts;
    if (c.parent != 0 && !sums_.contains({c.thread, c.parent})) throw defect(fmt::format("the parent of {:#x} is missing", c.key));
    if (c.key != expected_key(c)) throw defect(fmt::format("{:#x} is not the key of its place", c.key));
    const uint32_t *procedure = modules[sum.module].find(c.procedure);
    if (procedure == nullptr) throw defect(fmt::format("{:#x} is of no procedure", c.key));
    std::vector<uint64_t> &total = totals[sum.module][*procedure];
    total.resize(std::max(total.size(), c.counters.size()));
    for (size_t i = 0; i < c.counters.size(); ++i) total[i] += c.counters[i];
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

// Each context by itself is a procedure that obeys the flow law, so what ended early in it is its own.
void ContextCounter::add_early_exits(const std::vector<Module> &modules, const ExitSums &exits, const AddExits &add_exits) {
  std::unordered_map<uint64_t, Sum *> by_exit;
  for (auto &[name, sum] : sums_) {
    sum.measured.counters = sum.counts.counters;
    by_exit.emplace(CHORD_CONTEXT_EXIT(name.second, name.first), &sum);
  }
  std::map<Sum *, ExitSums> of_context;
  for (const auto &[place, count] : exits) {
    auto found = by_exit.find(std::get<3>(place));
    if (found != by_exit.end()) of_context[found->second][place] = count;
  }
  std::vector<std::vector<MeasuredProcedure>> scratch(modules.size());
  for (auto &[sum, own] : of_context) {
    std::vector<MeasuredProcedure> &measured = scratch[sum->module];
    measured.resize(modules[sum->module].procedures->size());
    MeasuredProcedure &procedure = measured[*modules[sum->module].find(sum->counts.procedure)];
    procedure = std::move(sum->measured);
    add_exits(sum->module, own, measured);
    sum->measured = std::move(procedure);
    procedure = {};
  }
}

// Parents first; children of one in the order of their calls.
std::vector<ContextCounter::Sum *> ContextCounter::in_tree_order() {
  std::map<std::pair<Thread, uint64_t>, std::vector<Sum *>> children;
  for (auto &[name, sum] : sums_) children[{name.first, sum.counts.parent}].push_back(&sum);
  for (auto &[parent, own] : children) {
    std::stable_sort(own.begin(), own.end(), [](const Sum *a, const Sum *b) { return a->counts.site < b->counts.site; });
  }
  std::vector<Sum *> order, stack;
  for (auto &[parent, own] : children) {
    if (parent.second == 0) stack.insert(stack.end(), own.begin(), own.end());
  }
  std::reverse(stack.begin(), stack.end());
  while (!stack.empty()) {
    Sum *next = stack.back();
    stack.pop_back();
    order.push_back(next);
    auto found = children.find({next->counts.thread, next->counts.key});
    if (found != children.end()) stack.insert(stack.end(), found->second.rbegin(), found->second.rend());
  }
  if (order.size() != sums_.size()) throw defect("some are their own parents");
  return order;
}

std::vector<CountedContext> ContextCounter::count(const std::vector<Module> &modules, const ExitSums &exits, const AddExits &add_exits) {
  add_early_exits(modules, exits, add_exits);
  std::vector<CountedContext> contexts;
  std::map<std::pair<Thread, uint64_t>, uint32_t> index;
  std::unordered_map<const CountedProcedure *, std::vector<uint32_t>> sites;
  for (Sum *sum : in_tree_order()) {
    const Module &module = modules[sum->module];
    const uint32_t procedure = *module.find(sum->counts.procedure);
    CountedProcedure counted;
    counted.map = (*module.procedures)[procedure].map;
    count_procedure(sum->measured, counted);
    if (!counted.problem.empty()) throw defect(fmt::format("{} in context {:#x}: {}", counted.map->name, sum->counts.key, counted.problem));
    CountedContext c{sum->counts.key, sum->counts.thread, sum->counts.kind, core::kNone, module.first + procedure, core::kNone,
                     counted.calls, counted.instructions, counted.instructions};
    if (sum->counts.parent != 0) {
      c.parent = index.at({c.thread, sum->counts.parent});
      const CountedContext &parent = contexts[c.parent];
      for (const Module &m : modules) {
        if (parent.procedure < m.first || parent.procedure >= m.first + m.procedures->size()) continue;
        const CountedProcedure &caller = (*m.procedures)[parent.procedure - m.first];
        auto [known, fresh] = sites.try_emplace(&caller);
        if (fresh) known->second = format::context_sites(*caller.map);
        if (sum->counts.site < known->second.size()) c.site = known->second[sum->counts.site];
      }
    }
    index[{c.thread, c.key}] = static_cast<uint32_t>(contexts.size());
    contexts.push_back(c);
  }
  for (size_t i = contexts.size(); i-- > 0;) {
    if (contexts[i].parent != core::kNone) {
      uint64_t &above = contexts[contexts[i].parent].inclusive;
      above = checked_add(above, contexts[i].inclusive, "calling contexts");
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
    const Sum &sum = sums_.at({contexts[i].thread, contexts[i].key});
    const Module &m = modules[sum.module];
    MeasuredProcedure &measured = (*m.measured)[contexts[i].procedure - m.first];
    measured.counters.resize(std::max(measured.counters.size(), sum.measured.counters.size()));
    for (size_t k = 0; k < sum.measured.counters.size(); ++k) measured.counters[k] += sum.measured.counters[k];
    measured.exits.insert(measured.exits.end(), sum.measured.exits.begin(), sum.measured.exits.end());
  }
}

}  // namespace chord::analysis
