#include "reference/linear.h"

namespace chord::reference {
namespace {

constexpr int64_t kPrime = 1'000'000'007;

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = result * base % kPrime;
    base = base * base % kPrime;
  }
  return result;
}

}  // namespace

void LinearSpan::reduce(std::vector<int64_t> &row) const {
  for (int64_t &x : row) x = (x % kPrime + kPrime) % kPrime;
  for (size_t i = 0; i < rows_.size(); ++i) {
    int64_t factor = row[pivots_[i]];
    if (factor == 0) continue;
    for (size_t j = 0; j < dimension_; ++j) row[j] = (row[j] + (kPrime - factor) * rows_[i][j]) % kPrime;
  }
}

void LinearSpan::add(std::vector<int64_t> row) {
  reduce(row);
  for (size_t pivot = 0; pivot < dimension_; ++pivot) {
    if (row[pivot] == 0) continue;
    int64_t inverse = power(row[pivot], kPrime - 2);
    for (int64_t &x : row) x = x * inverse % kPrime;
    rows_.push_back(std::move(row));
    pivots_.push_back(pivot);
    return;
  }
}

bool LinearSpan::contains(std::vector<int64_t> row) const {
  reduce(row);
  for (int64_t x : row) {
    if (x != 0) return false;
  }
  return true;
}

std::vector<int64_t> edge_row(const core::Graph &graph, core::EdgeId e) {
  std::vector<int64_t> row(graph.edge_count());
  row[e] = 1;
  return row;
}

std::vector<int64_t> vertex_row(const core::Graph &graph, core::Vertex v) {
  std::vector<int64_t> row(graph.edge_count());
  for (core::EdgeId e : graph.in(v)) row[e] = 1;
  return row;
}

LinearSpan known_from(const core::Graph &graph, const core::Plan &plan) {
  LinearSpan span(graph.edge_count());
  for (core::Vertex v = 0; v < graph.vertex_count(); ++v) {
    std::vector<int64_t> law = vertex_row(graph, v);
    for (core::EdgeId e : graph.out(v)) --law[e];
    span.add(std::move(law));
  }
  for (const core::Counter &counter : plan.counters) {
    span.add(counter.site == core::Site::edge ? edge_row(graph, counter.edge()) : vertex_row(graph, counter.vertex()));
  }
  for (core::EdgeId e : plan.never) span.add(edge_row(graph, e));
  return span;
}

bool determines_vertices(const core::Graph &graph, const core::Plan &plan) {
  LinearSpan span = known_from(graph, plan);
  for (core::Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (!span.contains(vertex_row(graph, v))) return false;
  }
  return true;
}

}  // namespace chord::reference
