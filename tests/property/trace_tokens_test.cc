// Tokens of traces: what a random execution of any graph writes leads a reader back along the same edges, and no reader can go
// round for ever without reading.
#include "core/sequences/trace_tokens.h"

#include <gtest/gtest.h>

#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

struct Written {
  std::vector<bool> bits;
  void put(const TraceToken &token) {
    for (uint32_t i = token.bits; i-- != 0;) bits.push_back((token.value >> i & 1) != 0);
  }
};

// Follows the bits through one activation; the way out of the root is told.
std::vector<EdgeId> read(const Graph &graph, const std::vector<TraceToken> &tokens, EdgeId first, const std::vector<bool> &bits, size_t &at) {
  std::vector<EdgeId> path{first};
  for (Vertex v = graph.edge(first).to; v != graph.exit();) {
    const std::vector<EdgeId> &out = graph.out(v);
    uint32_t length = tokens[out[0]].bits, value = 0;
    for (uint32_t i = 0; i < length && at < bits.size(); ++i) value = value << 1 | (bits[at++] ? 1 : 0);
    EdgeId taken = kNone;
    for (EdgeId e : out) {
      if (tokens[e].bits == length && tokens[e].value == value) taken = e;
    }
    path.push_back(taken);
    if (taken == kNone || path.size() > 10000) return path;
    v = graph.edge(taken).to;
  }
  return path;
}

bool has_silent_cycle(const Graph &graph, const std::vector<TraceToken> &tokens) {
  for (Vertex start = 0; start < graph.vertex_count(); ++start) {
    Vertex v = start;
    for (uint32_t steps = 0; v != graph.exit() && v != graph.root(); ++steps) {
      EdgeId silent = kNone;
      for (EdgeId e : graph.out(v)) {
        if (tokens[e].bits == 0) silent = e;
      }
      if (silent == kNone) break;
      v = graph.edge(silent).to;
      if (steps > graph.vertex_count()) return true;
    }
  }
  return false;
}

// Nothing leads to a procedure's entry, or away from its exit, but activations that begin and end.
bool is_procedure(const Graph &graph) { return graph.in(graph.root()).size() == 1 && graph.out(graph.exit()).size() == 1; }

void check(const Graph &graph, Random &random) {
  if (!is_procedure(graph)) return;
  std::vector<TraceToken> tokens = trace_tokens(graph, std::vector<bool>(graph.edge_count()));
  ASSERT_FALSE(has_silent_cycle(graph, tokens)) << graph.dump();
  std::vector<EdgeId> taken;
  Written written;
  WalkOptions walk;
  walk.activations = 3;
  random_execution(graph, random, walk, [&](EdgeId e) {
    taken.push_back(e);
    if (e != Graph::return_edge()) written.put(tokens[e]);
  });
  ASSERT_EQ(taken.front(), Graph::return_edge());  // activations begin with it
  taken.erase(taken.begin());
  taken.push_back(Graph::return_edge());
  size_t at = 0;
  for (size_t i = 0; i < taken.size();) {
    std::vector<EdgeId> path = read(graph, tokens, taken[i], written.bits, at);
    path.push_back(Graph::return_edge());
    ASSERT_EQ(path, std::vector<EdgeId>(taken.begin() + static_cast<long>(i), taken.begin() + static_cast<long>(std::min(taken.size(), i + path.size()))))
        << graph.dump();
    i += path.size();
  }
  ASSERT_EQ(at, written.bits.size()) << graph.dump();
}

TEST(TraceTokens, AllSmallGraphs) {
  Random random(1);
  for_all_small_graphs([&](const Graph &graph) { check(graph, random); });
}

TEST(TraceTokens, RandomGraphs) {
  Random random(2);
  for (uint32_t i = 0; i < 2000; ++i) {
    auto vertices = static_cast<uint32_t>(2 + below(random, 40));
    check(random_graph(random, vertices, static_cast<uint32_t>(below(random, 3 * vertices))), random);
  }
}

}  // namespace
}  // namespace chord
