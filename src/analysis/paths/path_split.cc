#include "analysis/paths/path_split.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/paths/path_choice.h"
#include "base/diagnostics.h"
#include "core/paths/chosen_paths.h"

namespace chord::analysis {
namespace {

// A function, and what its probes would have cost.
class Costs {
 public:
  explicit Costs(const CountedProcedure &p)
      : p_(p), graph_(p.map->graph()), numbering_(numbering_of(*p.map)), silent_(format::silent_edges(*p.map)) {
    for (uint32_t e = 0; e < p.map->edges.size(); ++e) {
      // Where nothing is known or nothing ran, fewer probes are better still.
      runs_.push_back(1e-3 + (p.exact() ? static_cast<double>(p.counts.edge[e]) : 0));
    }
  }

  const CountedProcedure &procedure() const { return p_; }
  const core::PathNumbering &numbering() const { return numbering_; }

  double of(const std::vector<uint64_t> &numbers) const {
    std::string why_not;
    auto chosen = core::place_chosen_probes({graph_, numbering_, numbers, runs_, silent_, core::PathAlgorithm::sound,
                                             std::min(numbering_.paths, core::kLargestPathTable)}, why_not);
    double cost = chosen->cost + (chosen->constant ? 0 : static_cast<double>(p_.calls));
    for (uint32_t e = 1; e < runs_.size(); ++e) cost += chosen->counts[e] || chosen->restarts[e] ? runs_[e] : 0;
    return cost;
  }

  double of_all() const {
    core::PathProbes probes = core::place_path_probes(graph_, numbering_, runs_, silent_);
    auto cost = static_cast<double>(p_.calls);
    for (uint32_t e = 1; e < runs_.size(); ++e) cost += probes.edge[e].ends || probes.edge[e].add != 0 ? runs_[e] : 0;
    return cost;
  }

  // The edge of the procedure that the path ends with, and how often edges were taken.
  core::EdgeId end_of(uint64_t number) const {
    return numbering_.original[core::regenerate_dag_path(numbering_, number).back()];
  }
  double runs(core::EdgeId e) const { return runs_[e]; }

  // Edges that two paths have in common from their start.
  size_t common(uint64_t a, uint64_t b) const {
    std::vector<core::EdgeId> x = core::regenerate_dag_path(numbering_, a), y = core::regenerate_dag_path(numbering_, b);
    return static_cast<size_t>(std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first - x.begin());
  }

 private:
  const CountedProcedure &p_;
  core::Graph graph_;
  core::PathNumbering numbering_;
  std::vector<bool> silent_;
  std::vector<double> runs_;  // by edge
};

struct PathShare {
  std::shared_ptr<const Costs> function;
  std::vector<uint64_t> numbers;
  double cost = 0;
  bool all = false;  // more than can be listed: not to be cut, and `numbers` is empty
};

std::vector<uint64_t> numbers_that_ran(const CountedProcedure &p) {
  std::vector<uint64_t> numbers;
  for (const CountedPath &path : p.paths) {
    if (!path.partial && path.count > 0) numbers.push_back(path.number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

PathShare share_of(const std::shared_ptr<const Costs> &function, std::vector<uint64_t> numbers) {
  double cost = function->of(numbers);
  return {function, std::move(numbers), cost};
}

PathShare share_of(const std::shared_ptr<const Costs> &function, format::ChosenNumbers numbers) {
  if (!numbers.all) return share_of(function, std::move(numbers.numbers));
  return {function, {}, function->of_all(), true};
}

// Two groups of the edges that paths of the share end with, about as often taken.
std::pair<PathShare, PathShare> halves_by_end(const PathShare &share, const std::map<core::EdgeId, std::vector<uint64_t>> &by_end) {
  std::vector<std::pair<double, core::EdgeId>> ends;
  for (const auto &[edge, numbers] : by_end) ends.emplace_back(share.function->runs(edge), edge);
  std::sort(ends.rbegin(), ends.rend());
  std::array<std::vector<uint64_t>, 2> numbers;
  std::array<double, 2> runs{};
  for (auto [taken, edge] : ends) {
    size_t less = runs[1] < runs[0] ? 1 : 0;
    runs[less] += taken;
    numbers[less].insert(numbers[less].end(), by_end.at(edge).begin(), by_end.at(edge).end());
  }
  for (std::vector<uint64_t> &half : numbers) std::sort(half.begin(), half.end());
  return {share_of(share.function, std::move(numbers[0])), share_of(share.function, std::move(numbers[1]))};
}

// Paths that end alike share the count there, and stay together as long as there are others.
// Then the share is cut near its middle, where neighbours have the least in common.
std::pair<PathShare, PathShare> halves(const PathShare &share) {
  std::map<core::EdgeId, std::vector<uint64_t>> by_end;
  for (uint64_t n : share.numbers) by_end[share.function->end_of(n)].push_back(n);
  if (by_end.size() > 1) return halves_by_end(share, by_end);
  size_t size = share.numbers.size(), best = size / 2, least = SIZE_MAX;
  for (size_t at = std::max<size_t>(1, size / 4); at <= std::min(size - 1, 3 * size / 4); ++at) {
    size_t common = share.function->common(share.numbers[at - 1], share.numbers[at]);
    if (common < least) least = common, best = at;
  }
  auto middle = share.numbers.begin() + static_cast<long>(best);
  return {share_of(share.function, {share.numbers.begin(), middle}), share_of(share.function, {middle, share.numbers.end()})};
}

format::ChosenNumbers wanted_numbers(const Costs &f, const format::PathSelection *wanted) {
  const CountedProcedure &p = f.procedure();
  if (wanted == nullptr) return possible_numbers(*p.map, f.numbering());
  std::string why_not;
  auto numbers = format::chosen_paths(*wanted, *p.unit, *p.map, f.numbering(), why_not);
  if (numbers) return std::move(*numbers);
  throw base::Error(fmt::format("{}: {}: {}", wanted->source, p.map->name, why_not),
                    "divide it with a profile of the build that it was made from");
}

std::vector<PathShare> whole_functions(const Program &program, const format::PathSelection *wanted) {
  std::vector<PathShare> shares;
  std::set<std::pair<std::string, uint64_t>> seen;  // copies of a function are chosen together
  for (const CountedProcedure &p : program.procedures) {
    if (!counts_paths(*p.map)) continue;
    auto function = std::make_shared<const Costs>(p);
    if (!seen.emplace(p.map->name, format::path_shape(*p.map, function->numbering())).second) continue;
    format::ChosenNumbers numbers = wanted_numbers(*function, wanted);
    if (numbers.all || !numbers.numbers.empty()) shares.push_back(share_of(function, std::move(numbers)));
  }
  return shares;
}

// Cuts the share that costs most, of equals the one with most paths, until all are within `even`
// or there are `most` of them. The whole is kept if that makes no share cheaper.
std::vector<PathShare> cut_share(const PathShare &whole, double even, size_t most) {
  std::vector<PathShare> shares{whole};
  auto costlier = [](const PathShare &a, const PathShare &b) {
    return std::tuple(a.numbers.size() > 1, a.cost, a.numbers.size()) < std::tuple(b.numbers.size() > 1, b.cost, b.numbers.size());
  };
  while (shares.size() < most) {
    auto next = std::max_element(shares.begin(), shares.end(), costlier);
    if (next->numbers.size() < 2 || next->cost <= even) break;
    auto [one, other] = halves(*next);
    *next = std::move(one);
    shares.push_back(std::move(other));
  }
  double highest = 0;
  for (const PathShare &p : shares) highest = std::max(highest, p.cost);
  if (highest >= whole.cost) return {whole};
  return shares;
}

// What cannot be listed stays whole while it is within an even share; beyond that only what
// ran can be divided.
std::vector<PathShare> cut_expensive_shares(std::vector<PathShare> wholes, size_t groups, std::vector<std::string> &only_ran) {
  double total = 0;
  for (const PathShare &p : wholes) total += p.cost;
  double even = total / static_cast<double>(groups);
  std::vector<PathShare> shares;
  for (PathShare &whole : wholes) {
    if (whole.all && whole.cost > even && groups > 1) {
      only_ran.push_back(whole.function->procedure().map->name);
      whole = share_of(whole.function, numbers_that_ran(whole.function->procedure()));
    }
    std::vector<PathShare> cut = cut_share(whole, even, groups);
    std::move(cut.begin(), cut.end(), std::back_inserter(shares));
  }
  return shares;
}

using Shapes = std::map<uint64_t, std::vector<uint64_t>>;  // shape -> numbers; empty: all

// Where a name stands for several shapes, all are known to each group.
std::map<std::string, std::set<uint64_t>> shapes_of(const std::vector<PathShare> &shares) {
  std::map<std::string, std::set<uint64_t>> shapes;
  for (const PathShare &p : shares) {
    const format::Procedure &map = *p.function->procedure().map;
    shapes[map.name].insert(format::path_shape(map, p.function->numbering()));
  }
  return shapes;
}

std::vector<format::PathChoice> choices_of(const std::map<std::string, Shapes> &chosen,
                                           const std::map<std::string, std::set<uint64_t>> &all) {
  std::vector<format::PathChoice> choices;
  for (const auto &[name, shapes] : chosen) {
    for (uint64_t shape : all.at(name)) {
      format::PathChoice &choice = choices.emplace_back();
      choice.function = name;
      choice.shape = shape;
      auto found = shapes.find(shape);
      choice.kind = found == shapes.end() ? format::PathChoice::Kind::none : format::PathChoice::Kind::numbers;
      if (found == shapes.end()) continue;
      if (found->second.empty()) choice.kind = format::PathChoice::Kind::all;
      std::vector<uint64_t> numbers = found->second;
      std::sort(numbers.begin(), numbers.end());
      choice.numbers = format::ranges_of(numbers);
    }
  }
  return choices;
}

}  // namespace

std::vector<PathGroup> split_paths(const Program &program, const format::PathSelection *wanted, size_t groups,
                                   std::vector<std::string> &only_ran) {
  std::vector<PathShare> shares = whole_functions(program, wanted);
  auto shapes = shapes_of(shares);
  shares = cut_expensive_shares(std::move(shares), groups, only_ran);
  std::stable_sort(shares.begin(), shares.end(), [](const PathShare &a, const PathShare &b) { return a.cost > b.cost; });
  std::vector<PathGroup> result(groups);
  std::vector<std::map<std::string, Shapes>> chosen(groups);
  for (const PathShare &share : shares) {
    auto least = std::min_element(result.begin(), result.end(), [](const PathGroup &a, const PathGroup &b) {
      return std::pair(a.cost, a.paths) < std::pair(b.cost, b.paths);
    });
    least->cost += share.cost;
    least->paths += share.numbers.size();
    const format::Procedure &map = *share.function->procedure().map;
    std::vector<uint64_t> &numbers =
        chosen[static_cast<size_t>(least - result.begin())][map.name][format::path_shape(map, share.function->numbering())];
    numbers.insert(numbers.end(), share.numbers.begin(), share.numbers.end());
  }
  for (size_t g = 0; g < groups; ++g) result[g].choices = choices_of(chosen[g], shapes);
  return result;
}

void add_paths(Program &program, Program other) {
  using Key = std::pair<std::string, uint64_t>;
  auto key_of = [](const CountedProcedure &p) { return Key(p.map->name, format::path_shape(*p.map, numbering_of(*p.map))); };
  std::map<Key, size_t> known;
  for (size_t i = 0; i < program.procedures.size(); ++i) {
    if (counts_paths(*program.procedures[i].map)) known.emplace(key_of(program.procedures[i]), i);
  }
  auto modules = static_cast<uint32_t>(program.modules.size());
  for (CountedProcedure &p : other.procedures) {
    if (!counts_paths(*p.map)) continue;
    p.module += modules;
    auto found = known.find(key_of(p));
    if (found == known.end()) {
      program.procedures.push_back(std::move(p));
      continue;
    }
    CountedProcedure &known_one = program.procedures[found->second];
    known_one.memory.thread += p.memory.thread;
    known_one.memory.shared += p.memory.shared;
    std::vector<CountedPath> &paths = known_one.paths;
    for (CountedPath &path : p.paths) {
      auto same = std::find_if(paths.begin(), paths.end(), [&](const CountedPath &one) {
        return one.partial == path.partial && one.number == path.number && one.path == path.path &&
               one.instruction == path.instruction && one.executed == path.executed;
      });
      if (same == paths.end()) {
        paths.push_back(std::move(path));
      } else {
        same->count += path.count;
      }
    }
  }
  std::move(other.modules.begin(), other.modules.end(), std::back_inserter(program.modules));
  program.warnings.insert(program.warnings.end(), other.warnings.begin(), other.warnings.end());
  program.instructions += other.instructions;
  program.runs += other.runs;
  program.threads += other.threads;
}

}  // namespace chord::analysis
