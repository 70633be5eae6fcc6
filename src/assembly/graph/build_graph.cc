#include "assembly/graph/build_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "assembly/graph/complete_graph.h"
#include "assembly/graph/copied_steps.h"
#include "assembly/graph/dispatch.h"
#include "assembly/graph/stack_depth.h"
#include "assembly/graph/unwind_info.h"

namespace chord::assembly {
namespace {

class ProcedureGraph {
 public:
  ProcedureGraph(const Source &source, const Unit &unit, const Arrivals &arrivals, Procedure &p)
      : source_(source), unit_(unit), arrivals_(arrivals), p_(p), index_(source, unit, arrivals, p), frames_(source, p) {}

  void build() {
    if (!p_.skipped.empty()) return;
    direct_edges();
    indirect_jumps();
    landings();
    if (!p_.skipped.empty()) return;
    join_short_branches();
    complete_graph(p_);
    find_copied_steps(p_);
  }

 private:
  void fail(const Instruction &in, std::string_view what) { skip_procedure(source_, in, what, p_); }

  const Instruction &last_of(core::Vertex block) const {
    const Block &b = p_.blocks[block];
    return p_.instructions[b.first + b.count - 1];
  }

  // ---- edges ----

  core::EdgeId add_edge(core::Vertex from, core::Vertex to, EdgeKind kind) {
    p_.edges.push_back({from, to, kind, 0, 0, {}});
    return core::EdgeId(p_.edges.size() - 1);
  }

  // To where a jump arrives, through padding if that stands there.
  core::EdgeId add_arrival(core::Vertex from, const BlockIndex::Arrival &at, EdgeKind kind) {
    core::EdgeId e = add_edge(from, at.block, kind);
    p_.edges[e].padding_first = at.padding.first;
    p_.edges[e].padding_count = at.padding.count;
    return e;
  }

  void direct_edges() {
    add_edge(kExit, kEntry, EdgeKind::return_edge);
    add_arrival(kEntry, {2, index_.padding_before(2)}, EdgeKind::enter);
    const core::Vertex blocks(p_.blocks.size());
    for (core::Vertex b = 2; b < blocks; ++b) {
      const Instruction &last = last_of(b);
      uint32_t last_instruction = p_.blocks[b].first + p_.blocks[b].count - 1;
      switch (last.decoded.flow) {
        case isa::Flow::leave:
          add_edge(b, kExit, last.decoded.traps ? EdgeKind::never : EdgeKind::leave);
          break;
        case isa::Flow::jump:
          if (last.decoded.indirect) {
            jumps_.push_back(b);
          } else if (index_.target_of(last_instruction) != kNoStatement) {
            add_arrival(b, *index_.arrival_at(index_.target_of(last_instruction)), EdgeKind::jump);
          } else {
            add_edge(b, kExit, EdgeKind::tail_call);
          }
          break;
        case isa::Flow::conditional:
          if (index_.target_of(last_instruction) != kNoStatement) {
            add_arrival(b, *index_.arrival_at(index_.target_of(last_instruction)), EdgeKind::taken);
          } else {
            add_edge(b, kExit, EdgeKind::tail_call);
          }
          fall_edge(b, blocks);
          break;
        case isa::Flow::call:
        case isa::Flow::next:
          fall_edge(b, blocks);
          break;
      }
    }
  }

  void fall_into(core::Vertex from, core::Vertex block) {
    add_arrival(from, {block, index_.padding_before(block)}, EdgeKind::fall);
  }

  void fall_edge(core::Vertex b, core::Vertex blocks) {
    const Instruction &last = last_of(b);
    bool has_next = b + 1 < blocks && p_.instructions[p_.blocks[b + 1].first].fragment == last.fragment;
    if (!has_next) {
      // After a call the compiler knows not to return there is nothing, nor at the end of a
      // cold part where it knows that control does not come.
      if (last.decoded.flow == isa::Flow::call || last.fragment != 0) {
        add_edge(b, kExit, EdgeKind::never);
      } else {
        fail(last, "control runs off the end of the function");
      }
      return;
    }
    if (last.decoded.flow == isa::Flow::call && index_.may_return_twice(last)) {
      second_return(b);
      return;
    }
    fall_into(b, core::Vertex(b + 1));
  }

  // Both returns of setjmp arrive at the same instruction, so the probe must stand
  // after a vertex in which they have met.
  void second_return(core::Vertex b) {
    core::Vertex landing(p_.blocks.size());
    p_.blocks.push_back({BlockKind::landing, 0, 0});
    add_edge(b, landing, EdgeKind::landing);
    add_edge(kEntry, landing, EdgeKind::landing);
    fall_into(landing, core::Vertex(b + 1));
  }

  // ---- indirect jumps ----

  void indirect_jumps() {
    DispatchInput input;
    input.source = &source_;
    input.symbols = &unit_.symbols;
    input.procedure = &p_;
    collect_known_labels(input);
    std::vector<core::Vertex> labels = known_label_blocks();
    leave_without_frame(labels);
    if (jumps_.empty()) return;
    input.predecessors.resize(p_.blocks.size());
    for (size_t e = 1; e < p_.edges.size(); ++e) input.predecessors[p_.edges[e].to].push_back(p_.edges[e].from);
    // As long as nothing is known, any of the jumps may lead to any known label.
    for (core::Vertex block : labels) {
      std::vector<core::Vertex> &into = input.predecessors[block];
      into.insert(into.end(), jumps_.begin(), jumps_.end());
    }
    add_jumps(input);
    std::set<core::Vertex> dispatched;
    for (const Dispatch &d : resolve_dispatch(input)) {
      add_dispatch(d);
      dispatched.insert(d.jumps.begin(), d.jumps.end());
    }
    for (core::Vertex b : jumps_) {
      if (!dispatched.contains(b)) add_edge(b, kExit, EdgeKind::tail_call);
    }
  }

  // Blocks that start at a label whose address is in a table or an instruction.
  std::vector<core::Vertex> known_label_blocks() const {
    std::vector<core::Vertex> blocks;
    for (const auto &[first, block] : index_.blocks()) {
      std::vector<uint32_t> places = index_.arrivals_in(block);
      auto is_known = [&](uint32_t i) {
        uint64_t key = index_.place_of(p_.instructions[i]);
        return arrivals_.tables.contains(key) || arrivals_.taken.contains(key);
      };
      if (std::any_of(places.begin(), places.end(), is_known)) blocks.push_back(block);
    }
    return blocks;
  }

  // Where the frame is as the compiler wrote it down, no jump changes it: if one stands at every
  // known label, jumps for which it has been taken down are tail calls. Otherwise they would seem to
  // bring any value to the labels, and the tables that other jumps use would not be found.
  void leave_without_frame(const std::vector<core::Vertex> &labels) {
    auto stands = [&](core::Vertex block) {
      return frames_.stands_at(p_.instructions[p_.blocks[block].first]).value_or(false);
    };
    if (jumps_.empty() || !std::all_of(labels.begin(), labels.end(), stands)) return;
    auto leaves = [&](core::Vertex b) { return !frames_.stands_at(last_of(b)).value_or(true); };
    for (core::Vertex b : jumps_) {
      if (leaves(b)) add_edge(b, kExit, EdgeKind::tail_call);
    }
    std::erase_if(jumps_, leaves);
  }

  void add_jumps(DispatchInput &input) {
    std::vector<std::optional<int64_t>> depths;
    for (core::Vertex b : jumps_) {
      std::optional<bool> stands = frames_.stands_at(last_of(b));
      if (!stands && depths.empty()) depths = stack_depths(p_, predecessors_within(input.predecessors));
      input.jumps.push_back({b, stands ? *stands : depths[b].value_or(0) != 0});
    }
  }

  // Without those that come from outside with a frame of their own.
  std::vector<std::vector<core::Vertex>> predecessors_within(std::vector<std::vector<core::Vertex>> predecessors) const {
    for (core::Vertex b = 0; b < predecessors.size(); ++b) {
      if (p_.blocks[b].kind == BlockKind::landing) std::erase(predecessors[b], kEntry);
    }
    return predecessors;
  }

  void collect_known_labels(DispatchInput &input) {
    std::set<uint32_t> tables;
    for (const auto &[first, block] : index_.blocks()) {
      for (uint32_t i : index_.arrivals_in(block)) {
        uint64_t key = index_.place_of(p_.instructions[i]);
        if (auto it = arrivals_.tables.find(key); it != arrivals_.tables.end()) {
          tables.insert(it->second.begin(), it->second.end());
        }
        if (auto it = arrivals_.taken.find(key); it != arrivals_.taken.end()) {
          input.taken.insert(input.taken.end(), it->second.begin(), it->second.end());
        }
      }
    }
    input.tables.assign(tables.begin(), tables.end());
    // Labels somebody knows although no jump of ours can use them.
    known_tables_ = input.tables;
    known_taken_ = input.taken;
  }

  void add_dispatch(const Dispatch &d) {
    core::Vertex vertex(p_.blocks.size());
    p_.blocks.push_back({BlockKind::dispatch, 0, 0});
    for (core::Vertex b : d.jumps) {
      add_edge(b, vertex, EdgeKind::dispatch);
      bool leaves = std::find(d.leaving.begin(), d.leaving.end(), b) != d.leaving.end();
      if (leaves) add_edge(b, kExit, EdgeKind::tail_call);
    }
    std::map<std::pair<core::Vertex, uint32_t>, core::EdgeId> edge_to;  // target block, padding on the way -> edge
    auto edge_for = [&](const BlockIndex::Arrival &at) -> Edge & {
      auto [it, fresh] = edge_to.try_emplace({at.block, at.padding.count});
      if (fresh) it->second = add_arrival(vertex, at, EdgeKind::dispatch);
      return p_.edges[it->second];
    };
    for (const Mention &m : d.slots) {
      uint32_t label = unit_.symbols.find_label(source_, m.label, 0);
      if (unit_.dead_ends.contains(label)) continue;
      std::optional<BlockIndex::Arrival> at = index_.arrival_at_label(label);
      if (!at) {
        // A label of another procedure in the same table, or one after the end.
        fail(last_of(d.jumps[0]), "a jump table that leads out of the function");
        return;
      }
      edge_for(*at).slots.push_back(m);
    }
    for (std::string_view name : d.unnamed) {
      std::optional<BlockIndex::Arrival> at = index_.arrival_at_label(unit_.symbols.find_label(source_, name, 0));
      if (at) edge_for(*at).slots.clear();  // some of the edges there cannot be renamed
    }
    handled_.insert(d.slots.begin(), d.slots.end());
  }

  struct MentionLess {
    bool operator()(const Mention &a, const Mention &b) const {
      return std::tie(a.statement, a.operand) < std::tie(b.statement, b.operand);
    }
  };

  // ---- control from outside ----

  void landings() {
    std::map<uint32_t, std::vector<Mention>> by_place;
    for (const auto &[first, block] : index_.blocks()) {
      for (uint32_t i : index_.arrivals_in(block)) {
        auto it = arrivals_.landing_pads.find(index_.place_of(p_.instructions[i]));
        if (it != arrivals_.landing_pads.end()) by_place[i] = it->second;
      }
    }
    // An address that none of our own jumps uses is there for others: a nested
    // function that leaves its caller by goto, which nothing tells us about.
    auto outside = [&](const Mention &m) {
      if (handled_.contains(m)) return;
      std::optional<BlockIndex::Arrival> at = index_.arrival_at_label(unit_.symbols.find_label(source_, m.label, 0));
      if (at) fail(p_.instructions[p_.blocks[at->block].first], "code outside the function may jump here");
    };
    for (uint32_t t : known_tables_) {
      const std::vector<Mention> &entries = unit_.symbols.tables[t].entries;
      std::for_each(entries.begin(), entries.end(), outside);
    }
    std::for_each(known_taken_.begin(), known_taken_.end(), outside);
    for (auto &[place, mentions] : by_place) {
      core::Vertex vertex(p_.blocks.size());
      p_.blocks.push_back({BlockKind::landing, 0, 0});
      add_edge(kEntry, vertex, EdgeKind::landing);
      core::EdgeId e = add_arrival(vertex, *index_.arrival_at(place), EdgeKind::landing);
      p_.edges[e].slots = mentions;
    }
  }

  // A branch with a reach of one byte can be given no stub. Where it meets other
  // incoming edges, a vertex before the block makes room for a probe after all of them.
  void join_short_branches() {
    std::set<core::Vertex> targets;
    for (const Edge &e : p_.edges) {
      if (e.kind == EdgeKind::taken && last_of(e.from).decoded.short_only) targets.insert(e.to);
    }
    for (core::Vertex block : targets) {
      core::Vertex vertex(p_.blocks.size());
      p_.blocks.push_back({BlockKind::join, 0, 0});
      for (Edge &e : p_.edges) {
        if (e.to == block) e.to = vertex;
      }
      add_edge(vertex, block, EdgeKind::fall);
    }
  }

  const Source &source_;
  const Unit &unit_;
  const Arrivals &arrivals_;
  Procedure &p_;
  BlockIndex index_;
  FrameRules frames_;
  std::vector<core::Vertex> jumps_;  // blocks that end in an indirect jump
  std::vector<uint32_t> known_tables_;
  std::vector<Mention> known_taken_;
  std::set<Mention, MentionLess> handled_;
};

}  // namespace

GraphBuilder::GraphBuilder(const Source &source, const Unit &unit)
    : source_(source), unit_(unit), arrivals_(source, unit) {}

void GraphBuilder::build(Procedure &procedure) { ProcedureGraph(source_, unit_, arrivals_, procedure).build(); }

}  // namespace chord::assembly
