#include "verify/flow/map_graph.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::verify {

using format::EdgeKind;
using format::VertexKind;

namespace {

bool falls(EdgeKind k) { return k == EdgeKind::fall || k == EdgeKind::landing; }
bool by_jump(EdgeKind k) { return k == EdgeKind::taken || k == EdgeKind::jump; }
bool goes_out(EdgeKind k) { return k == EdgeKind::leave || k == EdgeKind::tail_call; }
bool enters(EdgeKind k) { return k == EdgeKind::enter; }
bool any(EdgeKind k) { return k != EdgeKind::never && k != EdgeKind::return_edge; }
bool dispatches(EdgeKind k) { return k == EdgeKind::dispatch; }

}  // namespace

MapGraph::MapGraph(const Program &program, const format::Procedure &map, uint32_t function)
    : p_(program), map_(map), function_(function) {
  tie();
  out_.resize(map.blocks.size());
  for (uint32_t e = 1; e < map.edges.size(); ++e) out_[map.edges[e].from].push_back(e);
  check_shape();
  tie_tables();
}

// Nothing but the return edge enters the entry or leaves the exit, and no path leads round through vertices without code.
void MapGraph::check_shape() const {
  uint32_t entry = p_.functions()[function_].entry;
  if (!out_[1].empty()) fail(entry, "the map goes on where it ends");
  std::vector<uint32_t> depth(map_.blocks.size(), 0), landings(map_.blocks.size(), 0);
  for (uint32_t e = 1; e < map_.edges.size(); ++e) {
    const format::Edge &edge = map_.edges[e];
    if (edge.to == 0) fail(entry, "the map goes back to before its entry");
    auto touches = [&](VertexKind kind) { return map_.blocks[edge.from].kind == kind || map_.blocks[edge.to].kind == kind; };
    bool right = true;
    if (edge.kind == EdgeKind::landing) right = touches(VertexKind::landing);
    if (dispatches(edge.kind)) right = touches(VertexKind::dispatch);
    if (enters(edge.kind)) right = edge.from == 0;
    if (goes_out(edge.kind)) right = edge.to == 1;
    if (!right) fail(entry, fmt::format("the map has an edge {} where there is none of its kind", e));
    if (edge.from == 0 && edge.kind == EdgeKind::landing) ++landings[edge.to];
  }
  for (uint32_t v = 2; v < map_.blocks.size(); ++v) {
    if (map_.blocks[v].kind == VertexKind::landing && landings[v] != 1) fail(entry, "the map does not say once that control may land where it may");
  }
  for (bool more = true; more;) {
    more = false;
    for (uint32_t e = 1; e < map_.edges.size(); ++e) {
      uint32_t from = map_.edges[e].from, to = map_.edges[e].to;
      if (is_code(from) || is_code(to) || depth[to] > depth[from]) continue;
      depth[to] = depth[from] + 1;
      more = true;
      if (depth[to] > map_.blocks.size()) fail(entry, "the map goes in a circle in which nothing is executed");
    }
  }
}

std::set<uint32_t> MapGraph::blocks_behind(uint32_t vertex) const {
  std::set<uint32_t> out;
  for (uint32_t e : out_[vertex]) {
    uint32_t to = map_.edges[e].to;
    if (is_code(to)) out.insert(to);
    else if (to > 1) out.merge(blocks_behind(to));
  }
  return out;
}

// A table belongs to the jumps that lead where it leads; if that is none's, to all that lead there
// and elsewhere.
void MapGraph::tie_tables() {
  std::map<uint32_t, std::set<uint32_t>> targets;
  for (const Mention &m : p_.mentions()) {
    if (p_.instrs()[m.instruction].function != function_ || m.lands || m.table == kNone) continue;
    if (uint32_t n = number_of(m.instruction); n != kNone) targets[m.table].insert(block_of_[n]);
  }
  for (const auto &[table, blocks] : targets) {
    std::set<uint32_t> same, more;
    for (uint32_t v = 2; v < map_.blocks.size(); ++v) {
      if (map_.blocks[v].kind != VertexKind::dispatch) continue;
      std::set<uint32_t> behind = blocks_behind(v);
      if (behind == blocks) same.insert(v);
      if (std::includes(behind.begin(), behind.end(), blocks.begin(), blocks.end())) more.insert(v);
    }
    jumps_of_[table] = same.empty() ? more : same;
  }
}

bool MapGraph::reads(uint32_t v, uint32_t table) const {
  auto found = jumps_of_.find(table);
  return found == jumps_of_.end() || found->second.empty() || found->second.contains(v);
}

void MapGraph::fail(uint32_t instruction, std::string what) const {
  throw Unproved{p_.instrs()[instruction].last, std::move(what)};
}

void MapGraph::tie() {
  block_of_.assign(map_.instructions.size(), kNone);
  instr_.assign(map_.instructions.size(), kNone);
  for (uint32_t b = 0; b < map_.blocks.size(); ++b) {
    for (uint32_t k = 0; k < map_.blocks[b].count; ++k) block_of_[map_.blocks[b].first + k] = b;
  }
  uint32_t entry = p_.functions()[function_].entry;
  for (uint32_t n = 0; n < map_.instructions.size(); ++n) {
    const format::Instruction &in = map_.instructions[n];
    uint32_t label = p_.label(map_.fragments[in.fragment].name, 0);
    if (label == kNone) fail(entry, "the map names a part that is not there");
    if (block_of_[n] == kNone) {
      if (!p_.is_padding(p_.source().statements[label].section, p_.offset_of(label) + in.offset, in.size)) fail(entry, "the map has padding that is not there");
      continue;
    }
    uint32_t i = p_.instr_at(p_.source().statements[label].section, p_.offset_of(label) + in.offset);
    if (i == kNone || p_.instrs()[i].facts.size != in.size || p_.instrs()[i].function != function_) {
      fail(entry, fmt::format("the map has an instruction at {}+{} that is not there", map_.fragments[in.fragment].name, in.offset));
    }
    instr_[n] = i;
    if (!number_.emplace(i, n).second) fail(i, "the map has it twice");
  }
}

uint32_t MapGraph::number_of(uint32_t i) const {
  auto found = number_.find(i);
  return found == number_.end() ? kNone : found->second;
}

uint32_t MapGraph::block_of(uint32_t i) const {
  uint32_t n = number_of(i);
  if (n == kNone) fail(i, "the map does not have it");
  return block_of_[n];
}

bool MapGraph::is_inside_block(const Transition &t) const {
  if (t.from == kNone || t.to == kNone || t.kind != Transition::Kind::falls) return false;
  uint32_t a = number_of(t.from), b = number_of(t.to);
  return a != kNone && b == a + 1 && block_of_[a] == block_of_[b];
}

bool MapGraph::ends_there(uint32_t i) const {
  uint32_t n = number_of(i), b = block_of(i);
  if (n != map_.blocks[b].first + map_.blocks[b].count - 1) return false;
  for (uint32_t e : out_[b]) {
    if (map_.edges[e].kind != EdgeKind::never) return false;
  }
  return true;
}

// From `vertex` to `goal` by way of vertices without code.
void MapGraph::search(uint32_t origin, uint32_t vertex, uint32_t goal, Accepts first, EdgeChain chain, std::vector<EdgeChain> &out) const {
  if (chain.edges.size() > 8) return;
  for (uint32_t e : out_[vertex]) {
    const format::Edge &edge = map_.edges[e];
    if (!(chain.edges.empty() ? first(edge.kind) : any(edge.kind))) continue;
    EdgeChain longer = chain;
    longer.from = origin;
    longer.edges.push_back(e);
    longer.to = edge.to;
    if (edge.to == goal) {
      out.push_back(std::move(longer));
    } else if (!is_code(edge.to) && edge.to > 1 && map_.blocks[edge.to].kind != VertexKind::dispatch) {
      search(origin, edge.to, goal, first, std::move(longer), out);
    }
  }
}

// Ways that differ by the padding they lead through are edges of their own.
void MapGraph::keep_padded(uint32_t padding, std::vector<EdgeChain> &chains) const {
  std::vector<EdgeChain> right;
  for (const EdgeChain &chain : chains) {
    uint32_t count = 0;
    for (uint32_t e : chain.edges) count += map_.edges[e].padding_count;
    if (count == padding) right.push_back(chain);
  }
  chains = std::move(right);
}

std::vector<EdgeChain> MapGraph::chains(const Transition &t) const {
  std::vector<EdgeChain> out;
  if (is_inside_block(t)) return out;
  uint32_t goal = t.to == kNone ? 1 : block_of(t.to);
  if (t.to != kNone && map_.blocks[goal].first != number_of(t.to)) {
    // Control comes into the middle of a block only if nobody relies on it.
    if (t.kind == Transition::Kind::named) return out;
    fail(t.to, "control comes into the middle of a block of the map");
  }
  if (t.kind == Transition::Kind::named || t.kind == Transition::Kind::lands) {
    VertexKind wanted = t.kind == Transition::Kind::lands ? VertexKind::landing : VertexKind::dispatch;
    for (uint32_t v = 2; v < map_.blocks.size(); ++v) {
      bool right = map_.blocks[v].kind == wanted || (wanted == VertexKind::dispatch && map_.blocks[v].kind == VertexKind::landing);
      if (map_.blocks[v].kind == VertexKind::dispatch && !reads(v, t.table)) continue;
      if (right) search(v, v, goal, any, {}, out);
    }
    keep_padded(t.padding, out);
    if (out.empty() && t.kind == Transition::Kind::lands) fail(t.to, "the map does not know that exceptions land here");
    return out;
  }
  uint32_t from = t.from == kNone ? 0 : block_of(t.from);
  if (t.from != kNone && number_of(t.from) != map_.blocks[from].first + map_.blocks[from].count - 1) {
    fail(t.from, "control leaves in the middle of a block of the map");
  }
  Accepts first = t.kind == Transition::Kind::enters ? enters : t.to == kNone ? goes_out : t.kind == Transition::Kind::falls ? falls : by_jump;
  search(from, from, goal, first, {}, out);
  if (t.to != kNone) keep_padded(t.padding, out);
  bool indirect = t.from != kNone && p_.instrs()[t.from].facts.indirect;
  if (indirect && t.to == kNone) {
    // To the dispatch vertex, from which tables lead on.
    for (uint32_t e : out_[from]) {
      if (dispatches(map_.edges[e].kind)) out.push_back({from, map_.edges[e].to, {e}});
    }
  }
  if (out.empty()) {
    bool never = t.from != kNone && (p_.instrs()[t.from].facts.flow == Flow::call) && ends_there(t.from);
    if (!never) fail(t.from == kNone ? t.to : t.from, "the map has no edge for where it goes on");
  }
  return out;
}

// A dispatch vertex leads where the tables of the jumps lead that come to it.
void MapGraph::check_dispatches(const Tables &tables) const {
  std::map<uint32_t, std::set<uint32_t>> targets;
  std::set<uint32_t> unknown;
  for (uint32_t e = 1; e < map_.edges.size(); ++e) {
    const format::Edge &edge = map_.edges[e];
    if (!dispatches(edge.kind) || !is_code(edge.from)) continue;
    uint32_t jump = instr_[map_.blocks[edge.from].first + map_.blocks[edge.from].count - 1];
    if (map_.blocks[edge.to].kind != VertexKind::dispatch || !p_.instrs()[jump].facts.indirect) fail(jump, "the map does not lead on from where it jumps by a table");
    if (!tables.known(jump)) unknown.insert(edge.to);
    for (uint32_t to : tables.targets(jump)) {
      if (number_of(to) != kNone) targets[edge.to].insert(block_of(to));
    }
  }
  for (const auto &[v, blocks] : targets) {
    std::set<uint32_t> behind = blocks_behind(v);
    bool right = std::includes(blocks.begin(), blocks.end(), behind.begin(), behind.end()) && (unknown.contains(v) || behind == blocks);
    if (!right) fail(p_.functions()[function_].entry, "the map leads elsewhere than a table");
  }
}

// A jump that goes on in the function for certain leads to where tables lead, and not out of it; one that leaves, out of it.
void MapGraph::check_indirect(uint32_t jump, const Jumps &jumps) const {
  bool leaves = false, stays = false;
  for (uint32_t e : out_[block_of(jump)]) {
    leaves = leaves || goes_out(map_.edges[e].kind);
    stays = stays || dispatches(map_.edges[e].kind);
  }
  if (jumps.stays(jump) && (leaves || !stays)) fail(jump, "the map lets a jump leave the function that goes on in it");
  if (jumps.leaves(jump) && !leaves) fail(jump, "the map lets a jump go on in the function that leaves it");
}

// Every edge of the map is one that control can take: what leads there in the text has been followed.
void MapGraph::check_edges(const std::vector<Transition> &transitions, const Jumps &jumps) const {
  check_dispatches(jumps.tables());
  std::set<uint32_t> taken, reached = {0};
  bool dispatches = std::any_of(map_.blocks.begin(), map_.blocks.end(), [](const format::Block &b) { return b.kind == VertexKind::dispatch; });
  for (const Transition &t : transitions) {
    bool by_table = t.kind == Transition::Kind::named && t.table != kNone && dispatches;
    if (by_table && chains(t).empty()) fail(t.to, "the map has no edge for where a table leads");
    if (t.to != kNone) reached.insert(block_of(t.to));
    if (t.from != kNone && t.to == kNone && p_.instrs()[t.from].facts.indirect) check_indirect(t.from, jumps);
    for (const EdgeChain &chain : chains(t)) {
      taken.insert(chain.edges.begin(), chain.edges.end());
      for (uint32_t e : chain.edges) reached.insert(map_.edges[e].to);
    }
  }
  for (uint32_t e = 1; e < map_.edges.size(); ++e) {
    const format::Edge &edge = map_.edges[e];
    bool lands = edge.from == 0 && map_.blocks[edge.to].kind == VertexKind::landing;
    // There control comes from outside, or falls out of the call that returns again; a jump goes to the code.
    // And only tables lead to what stands for their targets.
    if (map_.blocks[edge.to].kind == VertexKind::dispatch && (falls(edge.kind) || by_jump(edge.kind)))
      fail(p_.functions()[function_].entry, fmt::format("the map has an edge {} to a table that it is not of", e));
    if (map_.blocks[edge.to].kind == VertexKind::landing && by_jump(edge.kind)) fail(p_.functions()[function_].entry, fmt::format("the map has a jump {} that lands", e));
    if (edge.kind != EdgeKind::never && !reached.contains(edge.from)) check_unreached(e);
    if (edge.kind == EdgeKind::never || lands || taken.contains(e) || !reached.contains(edge.from)) continue;
    fail(p_.functions()[function_].entry, fmt::format("the map has an edge {} that nothing takes", e));
  }
}

// Of code that nothing leads to: it goes on in the text, or jumps, as the map has it.
void MapGraph::check_unreached(uint32_t e) const {
  const format::Edge &edge = map_.edges[e];
  if (edge.kind == EdgeKind::fall && edge.to <= 1) fail(p_.functions()[function_].entry, fmt::format("the map has an edge {} that nothing takes", e));
  if (!is_code(edge.from) || !is_code(edge.to) || map_.blocks[edge.from].count == 0 || map_.blocks[edge.to].count == 0) return;
  uint32_t last = instr_[map_.blocks[edge.from].first + map_.blocks[edge.from].count - 1], first = instr_[map_.blocks[edge.to].first];
  if (last == kNone || first == kNone) return;
  const Instr &in = p_.instrs()[last];
  bool right = falls(edge.kind) ? in.next == first : !by_jump(edge.kind) || in.target == first;
  if (!right) fail(last, fmt::format("the map has an edge {} that nothing takes", e));
}

}  // namespace chord::verify
