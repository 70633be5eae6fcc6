#include "analysis/path_split.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/path_choice.h"
#include "base/diagnostics.h"
#include "core/chosen_paths.h"

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
                                            numbering_.paths, why_not);
    double cost = chosen->cost + (chosen->constant ? 0 : static_cast<double>(p_.calls));
    for (uint32_t e = 1; e < runs_.size(); ++e) cost += chosen->counts[e] || chosen->restarts[e] ? runs_[e] : 0;
    return cost;
  }

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
};

Piece piece_of(const std::shared_ptr<const Costs> &function, std::vector<uint64_t> numbers) {
  double cost = function->of(numbers);
  return {function, std::move(numbers), cost};
}

// Cuts the piece near its middle, where neighbours have the least in common.
std::pair<Piece, Piece> halves(const Piece &piece) {
  size_t size = piece.numbers.size(), best = size / 2, least = SIZE_MAX;
  for (size_t at = std::max<size_t>(1, size / 4); at <= std::min(size - 1, 3 * size / 4); ++at) {
    size_t common = piece.function->common(piece.numbers[at - 1], piece.numbers[at]);
    if (common < least) least = common, best = at;
  }
  auto middle = piece.numbers.begin() + static_cast<long>(best);
  return {piece_of(piece.function, {piece.numbers.begin(), middle}), piece_of(piece.function, {middle, piece.numbers.end()})};
}

std::vector<uint64_t> wanted_numbers(const Costs &f, const format::PathSelection *wanted) {
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
    std::vector<uint64_t> numbers = wanted_numbers(*function, wanted);
    if (!numbers.empty()) pieces.push_back(piece_of(function, std::move(numbers)));
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

std::vector<Piece> cut_dear_pieces(const std::vector<Piece> &wholes, size_t groups) {
  double total = 0;
  for (const Piece &p : wholes) total += p.cost;
  std::vector<Piece> pieces;
  for (const Piece &whole : wholes) {
    std::vector<Piece> cut = cut_piece(whole, total / static_cast<double>(groups), groups);
    std::move(cut.begin(), cut.end(), std::back_inserter(pieces));
  }
  return pieces;
}

using Shapes = std::map<uint64_t, std::vector<uint64_t>>;  // shape -> numbers

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
      std::vector<uint64_t> numbers = found->second;
      std::sort(numbers.begin(), numbers.end());
      choice.numbers = format::ranges_of(numbers);
    }
  }
  return choices;
}

}  // namespace

std::vector<PathGroup> split_paths(const Program &program, const format::PathSelection *wanted, size_t groups) {
  std::vector<Piece> pieces = whole_functions(program, wanted);
  auto shapes = shapes_of(pieces);
  pieces = cut_dear_pieces(pieces, groups);
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
    std::vector<CountedPath> &paths = program.procedures[found->second].paths;
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
