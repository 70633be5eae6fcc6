#include "core/graph/order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/graph/union_find.h"

namespace chord::core {
namespace {

// Sets with a name of our choosing: a search-tree ancestor, a loop header.
class NamedSets {
 public:
  explicit NamedSets(uint32_t size) : sets_(size), name_(size) {
    for (Vertex v = 0; v < size; ++v) name_[v] = v;
  }
  Vertex name(Vertex v) { return name_[sets_.find(v)]; }
  // Everything with v goes into the set of `into`, which keeps its name.
  void join(Vertex v, Vertex into) {
    Vertex kept = name(into);
    sets_.unite(v, into);
    name_[sets_.find(into)] = kept;
  }

 private:
  UnionFind sets_;
  std::vector<Vertex> name_;
};

}  // namespace

Order depth_first_order(const Graph &graph) {
  enum : uint8_t { kNew, kOnStack, kDone };
  Order order;
  order.back.resize(graph.edge_count());
  order.meet.assign(graph.edge_count(), kNone);
  order.position.assign(graph.vertex_count(), kNone);
  order.topological.reserve(graph.vertex_count());
  order.preorder.reserve(graph.vertex_count());
  std::vector<uint8_t> state(graph.vertex_count(), kNew);
  // A finished vertex is in the set of its lowest ancestor still on the stack, so
  // common ancestors can be read off on the way (Tarjan 1979).
  NamedSets ancestors(graph.vertex_count());
  struct Frame {
    Vertex vertex;
    uint32_t next;  // index of the next out-edge to look at
  };
  std::vector<Frame> stack;
  auto enter = [&](Vertex v) {
    state[v] = kOnStack;
    order.preorder.push_back(v);
    stack.push_back({v, 0});
  };
  enter(graph.root());
  while (!stack.empty()) {
    Frame &frame = stack.back();
    Vertex v = frame.vertex;
    const std::vector<EdgeId> &out = graph.out(v);
    if (frame.next == out.size()) {
      state[v] = kDone;
      order.topological.push_back(v);
      stack.pop_back();
      if (!stack.empty()) ancestors.join(v, stack.back().vertex);
      continue;
    }
    EdgeId e = out[frame.next++];
    if (e == Graph::return_edge()) continue;
    Vertex w = graph.edge(e).to;
    order.back[e] = state[w] == kOnStack;
    order.meet[e] = state[w] == kNew ? v : ancestors.name(w);
    if (state[w] == kNew) enter(w);
  }
  std::reverse(order.topological.begin(), order.topological.end());
  for (uint32_t i = 0; i < order.topological.size(); ++i) order.position[order.topological[i]] = i;
  return order;
}

std::string Order::dump() const {
  std::string text = fmt::format("topological: {}\nback edges:", fmt::join(topological, " "));
  for (EdgeId e = 0; e < back.size(); ++e) {
    if (back[e]) text += fmt::format(" {}", e);
  }
  return text + "\n";
}

namespace {

// Headers are visited from the bottom of the search tree upward; a loop found is
// collapsed into its header. An edge y->x matters to loops whose header is an
// ancestor of both ends, so it is entered as an edge into the collapsed x when the
// visit arrives where its ends meet; every edge seen on the backward walk then has
// its source below the header.
class LoopFinder {
 public:
  LoopFinder(const Graph &graph, const Order &order)
      : graph_(graph),
        order_(order),
        collapsed_(graph.vertex_count()),
        meeting_(graph.vertex_count(), kNone),
        entering_(graph.vertex_count(), kNone),
        next_(graph.edge_count(), kNone),
        in_body_of_(graph.vertex_count(), kNone) {}

  Loops run() {
    result_.innermost.assign(graph_.vertex_count(), kNone);
    result_.headed.assign(graph_.vertex_count(), kNone);
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      if (!order_.back[e]) push(meeting_[order_.meet[e]], e);
    }
    for (auto w = order_.preorder.rbegin(); w != order_.preorder.rend(); ++w) {
      enter_edges(*w);
      find_loop(*w);
    }
    outer_first();
    group();
    find_exits();
    return std::move(result_);
  }

 private:
  // Lists of edges, chained through next_: an edge is in one list at a time.
  void push(EdgeId &list, EdgeId e) {
    next_[e] = list;
    list = e;
  }

  void enter_edges(Vertex w) {
    for (EdgeId e = meeting_[w]; e != kNone;) {
      EdgeId after = next_[e];
      Vertex x = collapsed_.name(graph_.edge(e).to);
      if (x != collapsed_.name(graph_.edge(e).from)) {
        if (x != graph_.edge(e).to) result_.irreducible = true;
        push(entering_[x], e);
      }
      e = after;
    }
  }

  void find_loop(Vertex w) {
    body_.clear();
    bool found = false;
    auto add = [&](Vertex v) {
      Vertex x = collapsed_.name(v);
      if (x == w || in_body_of_[x] == w) return;
      in_body_of_[x] = w;
      body_.push_back(x);
    };
    for (EdgeId e : graph_.in(w)) {
      if (!order_.back[e]) continue;
      found = true;
      add(graph_.edge(e).from);
    }
    if (!found) return;
    for (size_t i = 0; i < body_.size(); ++i) {
      for (EdgeId e = entering_[body_[i]]; e != kNone; e = next_[e]) add(graph_.edge(e).from);
    }
    uint32_t number = static_cast<uint32_t>(result_.loops.size());
    result_.loops.emplace_back().header = w;
    result_.headed[w] = result_.innermost[w] = number;
    for (Vertex x : body_) {
      if (result_.headed[x] != kNone) {
        result_.loops[result_.headed[x]].parent = number;
      } else {
        result_.innermost[x] = number;
      }
      collapsed_.join(x, w);
    }
  }

  // Loops were found inner first.
  void outer_first() {
    uint32_t last = static_cast<uint32_t>(result_.loops.size()) - 1;
    auto turn = [&](uint32_t &loop) {
      if (loop != kNone) loop = last - loop;
    };
    std::reverse(result_.loops.begin(), result_.loops.end());
    for (Loop &loop : result_.loops) turn(loop.parent);
    for (uint32_t &loop : result_.innermost) turn(loop);
    for (uint32_t &loop : result_.headed) turn(loop);
  }

  // Slices of `grouped`: a loop's own vertices, then its inner loops one by one.
  void group() {
    std::vector<Loop> &loops = result_.loops;
    std::vector<uint32_t> own(loops.size()), size(loops.size());
    for (uint32_t loop : result_.innermost) {
      if (loop != kNone) ++own[loop];
    }
    size = own;
    for (size_t i = loops.size(); i-- > 0;) {
      if (loops[i].parent != kNone) size[loops[i].parent] += size[i];
    }
    uint32_t top = 0;
    std::vector<uint32_t> free(loops.size());
    for (size_t i = 0; i < loops.size(); ++i) {
      uint32_t &from = loops[i].parent == kNone ? top : free[loops[i].parent];
      loops[i].begin = from;
      loops[i].end = from += size[i];
      free[i] = loops[i].begin + own[i];
    }
    for (size_t i = 0; i < loops.size(); ++i) free[i] = loops[i].begin;
    result_.grouped.resize(graph_.vertex_count());
    result_.slot.resize(graph_.vertex_count());
    for (Vertex v : order_.topological) {
      uint32_t loop = result_.innermost[v];
      uint32_t slot = loop == kNone ? top++ : free[loop]++;
      result_.slot[v] = slot;
      result_.grouped[slot] = v;
    }
  }

  void find_exits() {
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      uint32_t loop = result_.innermost[graph_.edge(e).from];
      while (loop != kNone && !result_.contains(loop, graph_.edge(e).to)) {
        result_.loops[loop].exits.push_back(e);
        loop = result_.loops[loop].parent;
      }
    }
  }

  const Graph &graph_;
  const Order &order_;
  NamedSets collapsed_;
  std::vector<EdgeId> meeting_;   // by vertex: edges whose ends meet there
  std::vector<EdgeId> entering_;  // by collapsed vertex: edges into it
  std::vector<EdgeId> next_;
  std::vector<Vertex> in_body_of_;  // by vertex: the last header whose loop took it in
  std::vector<Vertex> body_;
  Loops result_;
};

}  // namespace

Loops find_loops(const Graph &graph, const Order &order) { return LoopFinder(graph, order).run(); }

std::string Loops::dump() const {
  std::string text;
  for (uint32_t i = 0; i < loops.size(); ++i) {
    text += fmt::format("loop at {}: members {}; exits {}\n", loops[i].header, fmt::join(members(i), " "),
                        fmt::join(loops[i].exits, " "));
  }
  return text;
}

}  // namespace chord::core
