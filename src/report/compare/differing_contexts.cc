#include "report/compare/differing_contexts.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analysis/contexts/context_pattern.h"
#include "report/tables/table.h"

namespace chord::report {
namespace {

constexpr size_t kContextsShown = 3;

std::string one_or_both(uint64_t before, uint64_t after, const char *unit) {
  if (before == after) return fmt::format("{} {}", group_digits(before), unit);
  return fmt::format("{} {}, then {}", group_digits(before), unit, group_digits(after));
}

}  // namespace

DifferingContexts::DifferingContexts(const analysis::Program &a, const analysis::Program &b) {
  const std::vector<ContextNode> before = context_nodes(a, false), after = context_nodes(b, false);
  std::unordered_map<uint64_t, uint32_t> later;
  for (uint32_t n = 0; n < after.size(); ++n) later[after[n].key] = n;
  auto add = [&](const std::vector<ContextNode> &nodes, uint32_t n, const Costs &first, const Costs &second) {
    if (first == second) return;
    differing_[nodes[n].key] = {first, second, nodes[n].procedure, shown_chain(nodes, n), nodes[n].depth};
  };
  for (uint32_t n = 0; n < before.size(); ++n) {
    auto found = later.find(before[n].key);
    Costs second;
    if (found != later.end()) {
      second = {after[found->second].calls, after[found->second].exclusive};
      later.erase(found);
    }
    add(before, n, {before[n].calls, before[n].exclusive}, second);
  }
  for (auto [key, n] : later) add(after, n, {}, {after[n].calls, after[n].exclusive});
}

std::string DifferingContexts::describe(uint64_t key, const Both &both) {
  return fmt::format("  in {}: {}, {} (chord annotate --context={})\n", both.chain, one_or_both(both.before.calls, both.after.calls, "calls"),
                     one_or_both(both.before.exclusive, both.after.exclusive, "instructions"), analysis::context_id(key));
}

std::string DifferingContexts::of(const std::string &function) const {
  std::vector<std::pair<uint64_t, const Both *>> found;
  for (const auto &[key, both] : differing_) {
    if (both.procedure->map->name == function) found.emplace_back(key, &both);
  }
  auto rank = [](const Both *both) { return std::tuple(!both->called_equally(), both->depth, std::string_view(both->chain)); };
  std::stable_sort(found.begin(), found.end(), [&](const auto &x, const auto &y) { return rank(x.second) < rank(y.second); });
  std::string out;
  for (size_t i = 0; i < std::min(kContextsShown, found.size()); ++i) out += describe(found[i].first, *found[i].second);
  if (found.size() > kContextsShown) out += fmt::format("  and in {} contexts more\n", found.size() - kContextsShown);
  return out;
}

const analysis::CountedProcedure *DifferingContexts::first() const {
  const Both *found = nullptr;
  for (const auto &[key, both] : differing_) {
    if (found == nullptr || std::tie(both.depth, both.chain) < std::tie(found->depth, found->chain)) found = &both;
  }
  return found == nullptr ? nullptr : found->procedure;
}

}  // namespace chord::report
