// Sets of paths against looking at each path: sizes, members in order, and patterns, on random
// graphs with loops, cuts, edges that are never taken and ways that are left out.
#include "core/paths/path_set.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/paths/chosen_paths.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

std::vector<Vertex> vertices_of(const Graph &graph, const PathNumbering &numbering, uint64_t number) {
  Path path = regenerate_path(numbering, number);
  std::vector<Vertex> vertices{path.first};
  for (EdgeId e : path.edges) {
    if (!numbering.cut[e] && graph.edge(e).to != graph.exit()) vertices.push_back(graph.edge(e).to);
  }
  return vertices;
}

// Do these vertices come in this order, others between them?
bool passes(const std::vector<Vertex> &vertices, const std::vector<Vertex> &wanted) {
  size_t next = 0;
  for (Vertex v : vertices) next += next < wanted.size() && v == wanted[next];
  return next == wanted.size();
}

PathPattern passing(const std::vector<Vertex> &wanted) {
  auto step = [wanted](uint64_t next, Vertex v) -> std::optional<uint64_t> {
    return next + (next < wanted.size() && v == wanted[next]);
  };
  return {step, [size = wanted.size()](uint64_t next) { return next == size; }};
}

// Nothing but these: paths that leave them are given up at once.
PathPattern within(const std::vector<bool> &allowed) {
  auto step = [allowed](uint64_t, Vertex v) { return allowed[v] ? std::optional<uint64_t>(0) : std::nullopt; };
  return {step, [](uint64_t) { return true; }};
}

void expect_members(const PathSet &set, const std::vector<uint64_t> &wanted, uint64_t paths) {
  ASSERT_EQ(set.size(), wanted.size());
  for (uint64_t k = 0; k < wanted.size(); ++k) ASSERT_EQ(set.number(k), wanted[k]);
  for (uint64_t n = 0; n < paths; ++n) ASSERT_EQ(set.contains(n), std::binary_search(wanted.begin(), wanted.end(), n));
}

void check(uint64_t seed) {
  SCOPED_TRACE(seed);
  Random random(seed);
  uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 7));
  Graph graph = random_graph(random, vertices, vertices + static_cast<uint32_t>(below(random, 7)));
  if (graph.out(graph.exit()).size() != 1) return;
  std::vector<bool> never(graph.edge_count()), none;
  const std::vector<EdgeId> &ends = graph.in(graph.exit());
  for (size_t i = 1; i < ends.size(); ++i) never[ends[i]] = below(random, 3) == 0;
  std::string why;
  auto numbering = number_paths(graph, {}, 300, why, {}, seed % 2 == 0 ? never : none);
  if (!numbering) return;
  std::vector<Vertex> wanted;
  for (uint64_t n = below(random, 3); n > 0; --n) wanted.push_back(static_cast<Vertex>(below(random, vertices)));
  std::vector<bool> allowed(vertices);
  for (Vertex v = 0; v < vertices; ++v) allowed[v] = below(random, 4) != 0;
  std::vector<uint64_t> all, through, inside;
  for (uint64_t n = 0; n < numbering->paths; ++n) {
    if (!is_possible_path(*numbering, never, n)) continue;
    std::vector<Vertex> met = vertices_of(graph, *numbering, n);
    all.push_back(n);
    if (passes(met, wanted)) through.push_back(n);
    if (std::all_of(met.begin(), met.end(), [&](Vertex v) { return allowed[v]; })) inside.push_back(n);
  }
  expect_members(PathSet(*numbering, never), all, numbering->paths);
  expect_members(PathSet(*numbering, never, passing(wanted)), through, numbering->paths);
  expect_members(PathSet(*numbering, never, within(allowed)), inside, numbering->paths);
}

TEST(PathSet, MembersAreThosePathsThatFit) {
  for (uint64_t seed = 1; seed <= 20'000 && !HasFatalFailure(); ++seed) check(seed);
}

// Sixty branches, one after the other: 2^60 paths.
TEST(PathSet, LargeSetsAreNotListed) {
  constexpr Vertex kBranches = 60;
  Graph graph(3 * kBranches + 1, 0, 3 * kBranches);
  for (Vertex i = 0; i < kBranches; ++i) {
    graph.add_edge(Vertex(3 * i), Vertex(3 * i + 1));
    graph.add_edge(Vertex(3 * i), Vertex(3 * i + 2));
    graph.add_edge(Vertex(3 * i + 1), Vertex(3 * i + 3));
    graph.add_edge(Vertex(3 * i + 2), Vertex(3 * i + 3));
  }
  std::string why;
  auto numbering = number_paths(graph, {}, uint64_t{1} << 62, why);
  ASSERT_TRUE(numbering) << why;
  std::vector<bool> never(graph.edge_count());
  PathSet all(*numbering, never);
  EXPECT_EQ(all.size(), uint64_t{1} << kBranches);
  EXPECT_EQ(all.number(12345678901234567), 12345678901234567u);
  PathSet some(*numbering, never, passing({1, 3 * 59 + 2}));
  EXPECT_EQ(some.size(), uint64_t{1} << (kBranches - 2));
  EXPECT_TRUE(some.contains(some.number(987654321)));
}

}  // namespace
}  // namespace chord
