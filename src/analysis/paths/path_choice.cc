#include "analysis/paths/path_choice.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "core/paths/chosen_paths.h"

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
      format::ChosenNumbers found = numbers_of(p, numbering, shape);
      Chosen &chosen = chosen_[p.map->name][shape];
      chosen.all = chosen.all || found.all;
      chosen.numbers.insert(found.numbers.begin(), found.numbers.end());
    }
    std::vector<format::PathChoice> choices;
    for (const auto &[name, shapes] : chosen_) {
      bool any = std::any_of(shapes.begin(), shapes.end(), [](const auto &one) { return !one.second.empty(); });
      for (const auto &[shape, chosen] : shapes) {
        if (!any) continue;
        format::PathChoice &choice = choices.emplace_back();
        choice.function = name;
        choice.shape = shape;
        using format::PathChoice;
        choice.kind = chosen.empty() ? PathChoice::Kind::none : chosen.all ? PathChoice::Kind::all : PathChoice::Kind::numbers;
        if (!chosen.all) choice.numbers = format::ranges_of({chosen.numbers.begin(), chosen.numbers.end()});
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

  format::ChosenNumbers numbers_of(const CountedProcedure &p, const core::PathNumbering &numbering, uint64_t shape) const {
    if (rule_.kind == Kind::top) {
      auto found = top_.find(&p);
      return {false, found == top_.end() ? std::vector<uint64_t>{} : found->second};
    }
    std::set<uint64_t> ran;
    for (const CountedPath &path : p.paths) {
      if (!path.partial && path.count > 0) ran.insert(path.number);
    }
    if (rule_.kind == Kind::executed) return {false, {ran.begin(), ran.end()}};
    if (rule_.kind == Kind::random) return {false, draw(p, numbering, base::Hash().add(rule_.seed).add(shape).value())};
    format::ChosenNumbers found = rule_.kind == Kind::touching ? touching(p, numbering) : possible_numbers(*p.map, numbering);
    if (rule_.kind == Kind::uncovered) std::erase_if(found.numbers, [&](uint64_t n) { return ran.contains(n); });
    return found;
  }

  format::ChosenNumbers touching(const CountedProcedure &p, const core::PathNumbering &numbering) const {
    core::PathPattern pattern = format::through_lines(*p.unit, *p.map, rule_.file, {rule_.line});
    core::PathSet set(numbering, format::silent_edges(*p.map), std::move(pattern));
    if (p.map->plan.placement != core::Placement::chosen_paths) return format::list_paths(set);
    format::ChosenNumbers found;
    for (uint64_t n : p.map->plan.paths.chosen) {
      if (set.contains(n)) found.numbers.push_back(n);
    }
    return found;
  }

  std::vector<uint64_t> draw(const CountedProcedure &p, const core::PathNumbering &numbering, uint64_t seed) const {
    format::ChosenNumbers possible = possible_numbers(*p.map, numbering);
    if (!possible.all) return draw_numbers(std::move(possible.numbers), rule_.count, seed);
    core::PathSet set(numbering, format::silent_edges(*p.map));
    std::mt19937_64 random(seed);
    std::set<uint64_t> numbers;
    while (numbers.size() < std::min(rule_.count, format::kMostListedPaths)) numbers.insert(set.number(random() % set.size()));
    return {numbers.begin(), numbers.end()};
  }

  const Program &program_;
  const ChoiceRule &rule_;
  std::map<const CountedProcedure *, std::vector<uint64_t>> top_;
  struct Chosen {
    bool all = false;  // more than can be listed
    std::set<uint64_t> numbers;
    bool empty() const { return !all && numbers.empty(); }
  };
  std::map<std::string, std::map<uint64_t, Chosen>> chosen_;  // name, shape
};

}  // namespace

std::vector<format::PathChoice> choose_paths(const Program &program, const ChoiceRule &rule) {
  return Chooser(program, rule).run();
}

format::ChosenNumbers possible_numbers(const format::Procedure &map, const core::PathNumbering &numbering) {
  if (map.plan.placement == core::Placement::chosen_paths) return {false, map.plan.paths.chosen};
  return format::list_paths(core::PathSet(numbering, format::silent_edges(map)));
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
