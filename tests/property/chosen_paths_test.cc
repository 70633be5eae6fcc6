// Probes for chosen paths carried out step by step: what they count is how often each
// chosen path ran, for random executions of random graphs with loops, edges that are never
// taken and activations that end early.
#include "core/paths/chosen_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

// A procedure that does what the probes say, and notes what really happened.
class Machine {
 public:
  Machine(const Graph &graph, const PathNumbering &numbering, const ChosenPaths &chosen)
      : graph_(graph), numbering_(numbering), chosen_(chosen) {
    start();
  }

  void take(EdgeId e) {
    if (e == Graph::return_edge()) return start();
    const PathProbe &probe = chosen_.probes.edge[e];
    number_ += numbering_.value[numbering_.dag_edge[e]];
    if (!probe.ends) {
      register_ += probe.add;
      return;
    }
    ++ran[number_];
    if (chosen_.counts[e]) count((chosen_.constant ? *chosen_.constant : register_) + probe.add);
    if (!numbering_.cut[e]) return;
    if (chosen_.restarts[e]) register_ = probe.restart;
    number_ = numbering_.value[numbering_.start_edge[graph_.edge(e).to]];
  }

  std::map<uint64_t, uint64_t> ran;  // by number
  bool wrong = false;

 private:
  void start() {
    register_ = chosen_.probes.initial;
    number_ = numbering_.value[numbering_.start_edge[graph_.root()]];
  }
  void count(int64_t index) {
    if (!chosen_.by_number && static_cast<uint64_t>(index) >= chosen_.words) wrong = true;
    ++counters[static_cast<uint64_t>(index)];
  }

  const Graph &graph_;
  const PathNumbering &numbering_;
  const ChosenPaths &chosen_;
  int64_t register_ = 0;
  uint64_t number_ = 0;

 public:
  std::map<uint64_t, uint64_t> counters;
};

// Some of the edges into the exit, but not all.
std::vector<bool> some_never(const Graph &graph, Random &random) {
  std::vector<bool> never(graph.edge_count());
  const std::vector<EdgeId> &ends = graph.in(graph.exit());
  for (size_t i = 1; i < ends.size(); ++i) never[ends[i]] = below(random, 3) == 0;
  return never;
}

std::vector<uint64_t> choose(const PathNumbering &numbering, const std::vector<bool> &never, Random &random) {
  std::vector<uint64_t> possible;
  for (uint64_t n = 0; n < numbering.paths; ++n) {
    if (is_possible_path(numbering, never, n)) possible.push_back(n);
  }
  std::shuffle(possible.begin(), possible.end(), random);
  size_t most = below(random, 4) == 0 ? possible.size() : 5;
  possible.resize(std::min(possible.size(), 1 + below(random, most)));
  std::sort(possible.begin(), possible.end());
  return possible;
}

struct Tally {
  uint64_t cases = 0, without_register = 0, additions = 0, wrong = 0, by_number = 0;
};

void check(uint64_t seed, PathAlgorithm algorithm, Tally &tally) {
  SCOPED_TRACE(seed);
  Random random(seed);
  uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 8));
  Graph graph = random_graph(random, vertices, vertices + static_cast<uint32_t>(below(random, 8)));
  if (graph.out(graph.exit()).size() != 1) return;
  std::vector<bool> never = some_never(graph, random);
  std::string why;
  auto numbering = number_paths(graph, {}, 500, why);
  if (!numbering) return;
  std::vector<uint64_t> numbers = choose(*numbering, never, random);
  if (numbers.empty()) return;
  std::vector<double> cost(graph.edge_count());
  for (double &c : cost) c = 1 + static_cast<double>(below(random, 20));
  uint64_t most_sums = seed % 3 == 0 ? 4 : 500;
  auto chosen = place_chosen_probes({graph, *numbering, numbers, cost, never, algorithm, most_sums}, why);
  ASSERT_TRUE(chosen) << why;
  ASSERT_EQ(chosen->slots.size(), numbers.size());
  ASSERT_LE(chosen->words, most_sums);
  Machine machine(graph, *numbering, *chosen);
  random_execution(graph, random, {20, 40, 5, never}, [&](EdgeId e) { machine.take(e); });
  bool wrong = machine.wrong;
  for (size_t k = 0; k < numbers.size(); ++k) wrong = wrong || machine.counters[chosen->slots[k]] != machine.ran[numbers[k]];
  if (algorithm == PathAlgorithm::sound) {
    ASSERT_FALSE(wrong) << graph.dump();
  }
  ++tally.cases;
  tally.wrong += wrong;
  tally.by_number += chosen->by_number;
  tally.without_register += chosen->constant.has_value();
  tally.additions += chosen->additions;
}

TEST(ChosenPaths, CountWhatRan) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 60'000 && !HasFatalFailure(); ++seed) check(seed, PathAlgorithm::sound, tally);
  EXPECT_GT(tally.cases, 10'000u);
  EXPECT_GT(tally.without_register, 100u);
  EXPECT_GT(tally.by_number, 100u);
}

TEST(ChosenPaths, ThePublishedAlgorithmMixesSomeUp) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 5'000 && !HasFatalFailure(); ++seed) check(seed, PathAlgorithm::published, tally);
  EXPECT_GT(tally.wrong, 0u);
  EXPECT_LT(tally.wrong, tally.cases / 20);
}

// Root, a loop of two ways, and a last branch; only ways out of the last branch are chosen.
TEST(ChosenPaths, LoopsWithoutChosenPathsAreLeftAlone) {
  Graph graph(6, 0, 5);  // 0 -> 1; 1 -> 2 -> 1; 1 -> 3; 3 -> 4 -> 5; 3 -> 5
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  EdgeId back = graph.add_edge(2, 1);
  graph.add_edge(1, 3);
  EdgeId left = graph.add_edge(3, 4);
  EdgeId out = graph.add_edge(4, 5);
  graph.add_edge(3, 5);
  std::string why;
  auto numbering = number_paths(graph, {}, 500, why);
  std::vector<uint64_t> numbers;
  for (uint64_t n = 0; n < numbering->paths; ++n) {
    Path path = regenerate_path(*numbering, n);
    bool goes_left = std::find(path.edges.begin(), path.edges.end(), left) != path.edges.end();
    if (goes_left && !path.from_entry) numbers.push_back(n);
  }
  std::vector<double> cost(graph.edge_count(), 1);
  auto chosen = place_chosen_probes({graph, *numbering, numbers, cost, std::vector<bool>(graph.edge_count()), PathAlgorithm::sound, 500}, why);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->additions, 0u);  // where the path started tells it from the other that ends there
  EXPECT_FALSE(chosen->counts[back]);
  EXPECT_TRUE(chosen->counts[out]);
}

}  // namespace
}  // namespace chord
