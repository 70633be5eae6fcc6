// Each vertex v split in two: an in-port 2v and an out-port 2v+1. What can be counted is an arc
// between ports: edge u->v one from out(u) to in(v), the count of a vertex one from in(v) to
// out(v). The flow law holds at every port. Arcs are numbered: edges first, then vertices.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

struct Ports {
  const Graph &graph;

  uint32_t port_count() const { return 2 * graph.vertex_count(); }
  uint32_t arc_count() const { return graph.edge_count() + graph.vertex_count(); }
  bool is_edge(uint32_t arc) const { return arc < graph.edge_count(); }
  uint32_t tail(uint32_t arc) const {
    return is_edge(arc) ? 2 * graph.edge(EdgeId(arc)).from + 1 : 2 * (arc - graph.edge_count());
  }
  uint32_t head(uint32_t arc) const {
    return is_edge(arc) ? 2 * graph.edge(EdgeId(arc)).to : 2 * (arc - graph.edge_count()) + 1;
  }
  uint32_t vertex_arc(Vertex v) const { return graph.edge_count() + v; }
  // Of a counter on one place.
  uint32_t arc(const Counter &counter) const { return counter.site == Site::edge ? counter.id : vertex_arc(counter.vertex()); }
  Counter counter(uint32_t arc) const {
    return is_edge(arc) ? Counter{Site::edge, arc} : Counter{Site::vertex, arc - graph.edge_count()};
  }
  // For messages.
  std::string name(uint32_t arc) const {
    if (!is_edge(arc)) return fmt::format("vertex {}", arc - graph.edge_count());
    const Edge &edge = graph.edge(EdgeId(arc));
    return fmt::format("edge {} ({}->{})", arc, edge.from, edge.to);
  }
};

}  // namespace chord::core
