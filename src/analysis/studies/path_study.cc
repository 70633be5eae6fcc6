#include "analysis/studies/path_study.h"

#include <algorithm>
#include <random>
#include <set>

#include "analysis/paths/path_choice.h"
#include "base/hash.h"
#include "core/paths/chosen_paths.h"
#include "format/inputs/path_selection.h"

namespace chord::analysis {
namespace {

struct Ran {
  uint64_t instructions = 0;
  const CountedProcedure *procedure = nullptr;
};

PathStudy::Hot hot_paths(const std::vector<Ran> &ran, uint64_t least) {
  PathStudy::Hot hot;
  std::set<const CountedProcedure *> functions;
  for (const Ran &r : ran) {
    if (r.instructions < least) continue;
    ++hot.paths;
    hot.instructions += r.instructions;
    functions.insert(r.procedure);
  }
  hot.functions = functions.size();
  return hot;
}

// The sum of `weight` over edges with a probe. `acts(e)`: a path ends or starts on the edge.
template <class Acts, class Weight>
uint64_t weigh_probes(const format::Procedure &map, const std::vector<bool> &silent, const core::PathProbes &probes, Acts acts,
                      bool has_register, Weight weight) {
  uint64_t sum = 0;
  for (uint32_t e = 1; e < map.edges.size(); ++e) {
    if (silent[e]) continue;
    bool sets = has_register && map.edges[e].kind == format::EdgeKind::enter;
    bool adds = !probes.edge[e].ends && probes.edge[e].add != 0;
    if (sets || adds || acts(e)) sum += weight(e);
  }
  return sum;
}

// The probes that were woven: an edge adds its value and by how much more the register
// lacks of the values so far where it comes from than where it leads to.
core::PathProbes woven_probes(const format::Procedure &map, const core::PathNumbering &numbering) {
  auto lacks = [&](core::Vertex v) { return v < map.plan.paths.partial.size() && v != 1 ? map.plan.paths.partial[v] : 0; };
  std::vector<int64_t> increment(numbering.dag.edge_count());
  for (core::EdgeId e = 1; e < numbering.dag.edge_count(); ++e) {
    const core::Edge &x = numbering.dag.edge(e);
    auto sum = numbering.value[e] + static_cast<uint64_t>(lacks(x.from)) - static_cast<uint64_t>(lacks(x.to));
    increment[e] = static_cast<int64_t>(sum);
  }
  return core::path_probes(map.graph(), numbering, increment);
}

uint64_t executed_probes(const CountedProcedure &p, const core::PathNumbering &numbering, const std::vector<bool> &silent) {
  core::PathProbes probes = woven_probes(*p.map, numbering);
  return weigh_probes(*p.map, silent, probes, [&](uint32_t e) { return probes.edge[e].ends; }, numbering.paths > 1,
                      [&](uint32_t e) { return p.counts.edge[e]; });
}

// One procedure's probes for all and for some of its paths.
class ProbeCounter {
 public:
  explicit ProbeCounter(const format::Procedure &map)
      : map_(map), graph_(map.graph()), numbering_(numbering_of(map)), silent_(format::silent_edges(map)),
        possible_(possible_numbers(map, numbering_).numbers), cost_(map.edges.size(), 1) {}

  // Empty if they are more than can be listed.
  const std::vector<uint64_t> &possible() const { return possible_; }
  uint64_t shape() const { return format::path_shape(map_, numbering_); }

  uint64_t for_all() const {
    core::PathProbes probes = core::place_path_probes(graph_, numbering_, cost_, silent_);
    return count(probes, [&](uint32_t e) { return probes.edge[e].ends; }, true);
  }

  core::ChosenPaths place(const std::vector<uint64_t> &numbers, core::PathAlgorithm algorithm) const {
    std::string why_not;
    return *core::place_chosen_probes({graph_, numbering_, numbers, cost_, silent_, algorithm,
                                       std::min(numbering_.paths, core::kLargestPathTable)}, why_not);
  }

  uint64_t for_some(const core::ChosenPaths &chosen) const {
    return count(chosen.probes, [&](uint32_t e) { return chosen.counts[e] || chosen.restarts[e]; }, !chosen.constant);
  }

  // Does another path count where a chosen one does?
  bool mixes_up(const core::ChosenPaths &chosen, const std::vector<uint64_t> &numbers) const {
    for (uint64_t n : possible_) {
      auto own = std::lower_bound(numbers.begin(), numbers.end(), n);
      bool is_chosen = own != numbers.end() && *own == n;
      core::Path path = core::regenerate_path(numbering_, n);
      if (!chosen.counts[path.edges.back()]) continue;
      int64_t index = start_of(chosen, path.first);
      for (core::EdgeId e : path.edges) index += chosen.probes.edge[e].add;
      for (size_t k = 0; k < numbers.size(); ++k) {
        if (static_cast<uint64_t>(index) == chosen.slots[k] && !(is_chosen && numbers[k] == n)) return true;
      }
    }
    return false;
  }

 private:
  template <class Acts>
  uint64_t count(const core::PathProbes &probes, Acts acts, bool has_register) const {
    return weigh_probes(map_, silent_, probes, acts, has_register, [](uint32_t) { return 1; });
  }

  int64_t start_of(const core::ChosenPaths &chosen, core::Vertex first) const {
    if (first == graph_.root()) return chosen.probes.initial;
    for (core::EdgeId e : graph_.in(first)) {
      if (e != 0 && numbering_.cut[e]) return chosen.probes.edge[e].restart;
    }
    return 0;
  }

  const format::Procedure &map_;
  core::Graph graph_;
  core::PathNumbering numbering_;
  std::vector<bool> silent_;
  std::vector<uint64_t> possible_;
  std::vector<double> cost_;
};

SelectiveStudy::Function study_function(const CountedProcedure &p, const ProbeCounter &counter) {
  SelectiveStudy::Function result{p.map->name, counter.possible().size(), counter.for_all(), {}};
  for (size_t k = 1; k <= kMostStudiedPaths && k <= counter.possible().size(); ++k) {
    SelectiveStudy::Function::Cost &cost = result.chosen[k - 1];
    for (cost.draws = 0; cost.draws < kStudiedDraws; ++cost.draws) {
      uint64_t seed = base::Hash().add(counter.shape()).add(uint64_t{k}).add(cost.draws).value();
      std::vector<uint64_t> numbers = draw_numbers(counter.possible(), k, seed);
      std::sort(numbers.begin(), numbers.end());
      core::ChosenPaths published = counter.place(numbers, core::PathAlgorithm::published);
      cost.sound += counter.for_some(counter.place(numbers, core::PathAlgorithm::sound));
      cost.published += counter.for_some(published);
      cost.mixed_up += counter.mixes_up(published, numbers);
    }
  }
  return result;
}

}  // namespace

PathStudy study_paths(const Program &program) {
  PathStudy study;
  study.program = program.name;
  std::vector<Ran> ran;
  for (const CountedProcedure &p : program.procedures) {
    if (p.map->plan.placement != core::Placement::paths) continue;
    ++study.functions;
    core::PathNumbering numbering = numbering_of(*p.map);
    std::vector<bool> silent = format::silent_edges(*p.map);
    study.probes += executed_probes(p, numbering, silent);
    uint64_t possible = core::PathSet(numbering, silent).size();
    if (__builtin_add_overflow(study.possible, possible, &study.possible)) study.possible = UINT64_MAX;
    for (const CountedPath &path : p.paths) {
      if (path.count <= 0) continue;
      uint64_t instructions = static_cast<uint64_t>(path.count) * length_of(*p.map, path);
      study.instructions += instructions;
      ++(path.partial ? study.partial : study.executed);
      if (!path.partial) ran.push_back({instructions, &p});
    }
  }
  study.percent = hot_paths(ran, std::max<uint64_t>(1, (study.instructions + 99) / 100));
  study.permille = hot_paths(ran, std::max<uint64_t>(1, (study.instructions + 999) / 1000));
  return study;
}

SelectiveStudy study_selective(const Program &program) {
  SelectiveStudy study{program.name, {}};
  for (const CountedProcedure &p : program.procedures) {
    if (!counts_paths(*p.map)) continue;
    ProbeCounter counter(*p.map);
    if (counter.possible().size() >= 2) study.functions.push_back(study_function(p, counter));
  }
  return study;
}

}  // namespace chord::analysis
