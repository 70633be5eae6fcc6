#include "analysis/path_choice.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "core/chosen_paths.h"

namespace chord::analysis {
namespace {

using Kind = ChoiceRule::Kind;

class Chooser {
 public:
  Chooser(const Program &program, const ChoiceRule &rule) : program_(program), rule_(rule) {
    if (rule.kind == Kind::top) find_top();
  }

  std::vector<format::PathChoice> run() {
    for (const CountedProcedure &p : program_.procedures) {
      if (!counts_paths(*p.map)) continue;
      core::PathNumbering numbering = numbering_of(*p.map);
      uint64_t shape = format::path_shape(*p.map, numbering);
      std::set<uint64_t> &numbers = chosen_[p.map->name][shape];
      for (uint64_t n : numbers_of(p, numbering, shape)) numbers.insert(n);
    }
    std::vector<format::PathChoice> choices;
    for (const auto &[name, shapes] : chosen_) {
      bool any = std::any_of(shapes.begin(), shapes.end(), [](const auto &one) { return !one.second.empty(); });
      for (const auto &[shape, numbers] : shapes) {
        if (!any) continue;
        format::PathChoice &choice = choices.emplace_back();
        choice.function = name;
        choice.shape = shape;
        choice.kind = numbers.empty() ? format::PathChoice::Kind::none : format::PathChoice::Kind::numbers;
        choice.numbers = format::ranges_of({numbers.begin(), numbers.end()});
      }
    }
    return choices;
  }

 private:
  using Ran = std::tuple<uint64_t, const CountedProcedure *, uint64_t>;  // instructions, function, number

  void find_top() {
    std::vector<Ran> ran;
    for (const CountedProcedure &p : program_.procedures) {
      for (const CountedPath &path : p.paths) {
        if (path.partial || path.count <= 0) continue;
        ran.emplace_back(static_cast<uint64_t>(path.count) * length_of(*p.map, path), &p, path.number);
      }
    }
    std::stable_sort(ran.begin(), ran.end(), [](const Ran &a, const Ran &b) { return std::get<0>(a) > std::get<0>(b); });
    if (rule_.count < ran.size()) ran.resize(rule_.count);
    for (const auto &[executed, p, number] : ran) top_[p].push_back(number);
  }

  std::vector<uint64_t> numbers_of(const CountedProcedure &p, const core::PathNumbering &numbering, uint64_t shape) const {
    if (rule_.kind == Kind::top) {
      auto found = top_.find(&p);
      return found == top_.end() ? std::vector<uint64_t>{} : found->second;
    }
    std::set<uint64_t> ran;
    for (const CountedPath &path : p.paths) {
      if (!path.partial && path.count > 0) ran.insert(path.number);
    }
    if (rule_.kind == Kind::executed) return {ran.begin(), ran.end()};
    std::vector<uint64_t> numbers;
    for (uint64_t n : possible_numbers(*p.map, numbering)) {
      if (rule_.kind == Kind::uncovered && ran.contains(n)) continue;
      if (rule_.kind == Kind::touching && !format::runs_through(*p.unit, *p.map, numbering, n, rule_.file, {rule_.line})) continue;
      numbers.push_back(n);
    }
    if (rule_.kind == Kind::random) return draw_numbers(std::move(numbers), rule_.count, base::Hash().add(rule_.seed).add(shape).value());
    return numbers;
  }

  const Program &program_;
  const ChoiceRule &rule_;
  std::map<const CountedProcedure *, std::vector<uint64_t>> top_;
  std::map<std::string, std::map<uint64_t, std::set<uint64_t>>> chosen_;  // name, shape
};

}  // namespace

std::vector<format::PathChoice> choose_paths(const Program &program, const ChoiceRule &rule) {
  return Chooser(program, rule).run();
}

std::vector<uint64_t> possible_numbers(const format::Procedure &map, const core::PathNumbering &numbering) {
  if (map.plan.placement == core::Placement::chosen_paths) return map.plan.paths.chosen;
  std::vector<bool> silent = format::silent_edges(map);
  std::vector<uint64_t> numbers;
  for (uint64_t n = 0; n < numbering.paths; ++n) {
    if (core::is_possible_path(numbering, silent, n)) numbers.push_back(n);
  }
  return numbers;
}

std::vector<uint64_t> draw_numbers(std::vector<uint64_t> numbers, uint64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < numbers.size() && i < count; ++i) {
    std::swap(numbers[i], numbers[i + random() % (numbers.size() - i)]);
  }
  if (count < numbers.size()) numbers.resize(count);
  return numbers;
}

uint64_t paths_in(const std::vector<format::PathChoice> &choices) {
  uint64_t paths = 0;
  for (const format::PathChoice &c : choices) {
    for (auto [first, last] : c.numbers) paths += last - first + 1;
  }
  return paths;
}

}  // namespace chord::analysis
