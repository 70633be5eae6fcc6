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
    auto chosen = core::place_chosen_probes(graph_, numbering_, numbers, runs_, silent_, core::PathAlgorithm::sound,
                                            std::min(numbering_.paths, core::kLargestPathTable), why_not);
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

struct Piece {
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

Piece piece_of(const std::shared_ptr<const Costs> &function, std::vector<uint64_t> numbers) {
  double cost = function->of(numbers);
  return {function, std::move(numbers), cost};
}

Piece piece_of(const std::shared_ptr<const Costs> &function, format::ChosenNumbers numbers) {
  if (!numbers.all) return piece_of(function, std::move(numbers.numbers));
  return {function, {}, function->of_all(), true};
}

// Two groups of the edges that paths of the piece end with, about as often taken.
std::pair<Piece, Piece> halves_by_end(const Piece &piece, const std::map<core::EdgeId, std::vector<uint64_t>> &by_end) {
  std::vector<std::pair<double, core::EdgeId>> ends;
  for (const auto &[edge, numbers] : by_end) ends.emplace_back(piece.function->runs(edge), edge);
  std::sort(ends.rbegin(), ends.rend());
  std::array<std::vector<uint64_t>, 2> numbers;
  std::array<double, 2> runs{};
  for (auto [taken, edge] : ends) {
    size_t less = runs[1] < runs[0] ? 1 : 0;
    runs[less] += taken;
    numbers[less].insert(numbers[less].end(), by_end.at(edge).begin(), by_end.at(edge).end());
  }
  for (std::vector<uint64_t> &half : numbers) std::sort(half.begin(), half.end());
  return {piece_of(piece.function, std::move(numbers[0])), piece_of(piece.function, std::move(numbers[1]))};
}

// Paths that end alike share the count there, and stay together as long as there are others.
// Then the piece is cut near its middle, where neighbours have the least in common.
std::pair<Piece, Piece> halves(const Piece &piece) {
  std::map<core::EdgeId, std::vector<uint64_t>> by_end;
  for (uint64_t n : piece.numbers) by_end[piece.function->end_of(n)].push_back(n);
  if (by_end.size() > 1) return halves_by_end(piece, by_end);
  size_t size = piece.numbers.size(), best = size / 2, least = SIZE_MAX;
  for (size_t at = std::max<size_t>(1, size / 4); at <= std::min(size - 1, 3 * size / 4); ++at) {
    size_t common = piece.function->common(piece.numbers[at - 1], piece.numbers[at]);
    if (common < least) least = common, best = at;
  }
  auto middle = piece.numbers.begin() + static_cast<long>(best);
  return {piece_of(piece.function, {piece.numbers.begin(), middle}), piece_of(piece.function, {middle, piece.numbers.end()})};
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

std::vector<Piece> whole_functions(const Program &program, const format::PathSelection *wanted) {
  std::vector<Piece> pieces;
  std::set<std::pair<std::string, uint64_t>> seen;  // copies of a function are chosen together
  for (const CountedProcedure &p : program.procedures) {
    if (!counts_paths(*p.map)) continue;
    auto function = std::make_shared<const Costs>(p);
    if (!seen.emplace(p.map->name, format::path_shape(*p.map, function->numbering())).second) continue;
    format::ChosenNumbers numbers = wanted_numbers(*function, wanted);
    if (numbers.all || !numbers.numbers.empty()) pieces.push_back(piece_of(function, std::move(numbers)));
  }
  return pieces;
}

// Cuts the dearest piece, of equals the one with most paths, until all are within `even`
// or there are `most` of them. The whole is kept if that makes no piece cheaper.
std::vector<Piece> cut_piece(const Piece &whole, double even, size_t most) {
  std::vector<Piece> pieces{whole};
  auto dearer = [](const Piece &a, const Piece &b) {
    return std::tuple(a.numbers.size() > 1, a.cost, a.numbers.size()) < std::tuple(b.numbers.size() > 1, b.cost, b.numbers.size());
  };
  while (pieces.size() < most) {
    auto next = std::max_element(pieces.begin(), pieces.end(), dearer);
    if (next->numbers.size() < 2 || next->cost <= even) break;
    auto [one, other] = halves(*next);
    *next = std::move(one);
    pieces.push_back(std::move(other));
  }
  double dearest = 0;
  for (const Piece &p : pieces) dearest = std::max(dearest, p.cost);
  if (dearest >= whole.cost) return {whole};
  return pieces;
}

// What cannot be listed stays whole while it is within an even share; beyond that only what
// ran can be divided.
std::vector<Piece> cut_dear_pieces(std::vector<Piece> wholes, size_t groups, std::vector<std::string> &only_ran) {
  double total = 0;
  for (const Piece &p : wholes) total += p.cost;
  double even = total / static_cast<double>(groups);
  std::vector<Piece> pieces;
  for (Piece &whole : wholes) {
    if (whole.all && whole.cost > even && groups > 1) {
      only_ran.push_back(whole.function->procedure().map->name);
      whole = piece_of(whole.function, numbers_that_ran(whole.function->procedure()));
    }
    std::vector<Piece> cut = cut_piece(whole, even, groups);
    std::move(cut.begin(), cut.end(), std::back_inserter(pieces));
  }
  return pieces;
}

using Shapes = std::map<uint64_t, std::vector<uint64_t>>;  // shape -> numbers; empty: all

// Where a name stands for several shapes, all are known to each group.
std::map<std::string, std::set<uint64_t>> shapes_of(const std::vector<Piece> &pieces) {
  std::map<std::string, std::set<uint64_t>> shapes;
  for (const Piece &p : pieces) {
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
  std::vector<Piece> pieces = whole_functions(program, wanted);
  auto shapes = shapes_of(pieces);
  pieces = cut_dear_pieces(std::move(pieces), groups, only_ran);
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.cost > b.cost; });
  std::vector<PathGroup> result(groups);
  std::vector<std::map<std::string, Shapes>> chosen(groups);
  for (const Piece &piece : pieces) {
    auto least = std::min_element(result.begin(), result.end(), [](const PathGroup &a, const PathGroup &b) {
      return std::pair(a.cost, a.paths) < std::pair(b.cost, b.paths);
    });
    least->cost += piece.cost;
    least->paths += piece.numbers.size();
    const format::Procedure &map = *piece.function->procedure().map;
    std::vector<uint64_t> &numbers =
        chosen[static_cast<size_t>(least - result.begin())][map.name][format::path_shape(map, piece.function->numbering())];
    numbers.insert(numbers.end(), piece.numbers.begin(), piece.numbers.end());
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
