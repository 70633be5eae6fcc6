#include "assembly/build_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "assembly/dispatch.h"
#include "assembly/stack_depth.h"
#include "assembly/unwind_info.h"

namespace chord::assembly {
namespace {

uint64_t place_key(uint32_t section, uint32_t position) { return (uint64_t{section} << 32) | position; }

// Functions that return a second time to the same place.
bool returns_twice(std::string_view callee) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "savectx", "vfork", "__vfork", "getcontext", "__getcontext"};
  return std::find(kNames.begin(), kNames.end(), callee) != kNames.end();
}

// The symbol an indirect call through the GOT names: call *setjmp@GOTPCREL(%rip).
std::string_view called_symbol(const Source &source, const Instruction &in) {
  std::string_view operands = source.statements[in.last_statement].operands;
  if (in.decoded.indirect && operands.find("@GOTPCREL") == std::string_view::npos) return {};
  return first_symbol(operands);
}

constexpr uint32_t kEntry = 0;
constexpr uint32_t kExit = 1;

}  // namespace

class ProcedureGraph {
 public:
  ProcedureGraph(const GraphBuilder &context, Procedure &p)
      : source_(context.source_), unit_(context.unit_), context_(context), p_(p) {}

  void build() {
    place_instructions();
    find_leaders();
    if (!p_.skipped.empty()) return;
    cut_blocks();
    direct_edges();
    indirect_jumps();
    landings();
    if (!p_.skipped.empty()) return;
    join_short_branches();
    make_reachable();
    make_leavable();
  }

 private:
  const Statement &statement(const Instruction &in) const { return source_.statements[in.last_statement]; }
  uint32_t section_of(const Instruction &in) const { return p_.fragments[in.fragment].section; }

  // ---- where control may arrive ----

  void place_instructions() {
    for (uint32_t i = 0; i < p_.instructions.size(); ++i) {
      const Instruction &in = p_.instructions[i];
      if (!in.padding) at_.emplace(place_key(section_of(in), in.offset), i);
    }
  }

  // The instruction executed first when control jumps to a label statement: the one
  // at its place, padding included.
  uint32_t instruction_at_label(uint32_t label) const {
    const Statement &s = source_.statements[label];
    auto it = at_.find(place_key(s.section, unit_.layout.places[label].begin));
    return it == at_.end() ? kNoStatement : it->second;
  }

  bool inside(uint32_t label) const {
    const Statement &s = source_.statements[label];
    uint32_t position = unit_.layout.places[label].begin;
    for (const Fragment &f : p_.fragments) {
      if (f.section == s.section && position >= f.begin && position < f.end) return true;
    }
    return false;
  }

  bool is_end_of_ours(uint32_t label) const {
    if (label == kNoStatement) return false;
    for (const Fragment &f : p_.fragments) {
      if (label > f.first_statement && label < f.last_statement && unit_.layout.places[label].begin == f.end &&
          source_.statements[label].section == f.section) {
        return true;
      }
    }
    return false;
  }

  // Where a direct branch goes: an instruction of ours, or outside (kNoStatement).
  uint32_t branch_target(const Instruction &in) {
    std::string_view operands = statement(in).operands;
    std::string_view name = first_symbol(operands);
    uint32_t label = unit_.symbols.find_label(source_, name, in.last_statement);
    if (operands.find_first_of("+-") != std::string_view::npos) {
      fail(in, "a branch to an expression");
      return kNoStatement;
    }
    if (label == kNoStatement || !inside(label)) return kNoStatement;
    // A global function's own name may be bound to another definition: that is a
    // call in the place of a return, even to itself.
    if (unit_.symbols.functions.contains(name) && label == p_.fragments[0].first_statement) return kNoStatement;
    uint32_t target = instruction_at_label(label);
    if (target == kNoStatement) fail(in, "a branch to something that is no instruction");
    return target;
  }

  void fail(const Instruction &in, std::string_view what) {
    if (p_.skipped.empty()) p_.skipped = fmt::format("line {}: {}", statement(in).line, what);
  }

  // A compiler that avoids the PLT may keep setjmp's address in a register; then any
  // call through an unknown address may be it.
  bool may_return_twice(const Instruction &in) const {
    std::string_view callee = called_symbol(source_, in);
    return returns_twice(callee) || (callee.empty() && loads_twice_returning_);
  }

  bool loads_twice_returning(const Instruction &in) const {
    if (in.padding || in.decoded.flow != isa::Flow::next) return false;
    std::vector<std::string_view> symbols = symbols_in(statement(in).operands);
    return std::any_of(symbols.begin(), symbols.end(), returns_twice);
  }

  void find_leaders() {
    loads_twice_returning_ = std::any_of(p_.instructions.begin(), p_.instructions.end(),
                                         [&](const Instruction &in) { return loads_twice_returning(in); });
    leader_.assign(p_.instructions.size() + 1, false);
    targets_.assign(p_.instructions.size(), kNoStatement);
    for (uint32_t i = 0; i < p_.instructions.size(); ++i) {
      const Instruction &in = p_.instructions[i];
      if (i == 0 || in.fragment != p_.instructions[i - 1].fragment) leader_[i] = true;
      if (in.padding) continue;
      leader_[i] = leader_[i] || arrives_from_outside(in);
      switch (in.decoded.flow) {
        case isa::Flow::jump:
        case isa::Flow::conditional:
          leader_[i + 1] = true;
          if (!in.decoded.indirect) {
            targets_[i] = branch_target(in);
            if (targets_[i] != kNoStatement) leader_[targets_[i]] = true;
          }
          break;
        case isa::Flow::leave:
          leader_[i + 1] = true;
          break;
        case isa::Flow::call: {
          if (may_return_twice(in)) leader_[i + 1] = true;
          uint32_t label = in.decoded.indirect ? kNoStatement
                                               : unit_.symbols.find_label(source_, callee_of(source_, in), in.last_statement);
          if (label != kNoStatement && inside(label) && label != p_.fragments[0].first_statement) {
            fail(in, "a call into the middle of the function");
          }
          break;
        }
        case isa::Flow::next:
          break;
      }
    }
    // A block starts with the padding in front of its first instruction only if
    // nobody else can jump behind it; padding never starts a block by itself.
    for (uint32_t i = 0; i < p_.instructions.size(); ++i) {
      if (!p_.instructions[i].padding || !leader_[i]) continue;
      leader_[i] = false;
      uint32_t next = i + 1;
      while (next < p_.instructions.size() && p_.instructions[next].padding) ++next;
      if (next < p_.instructions.size()) leader_[next] = true;
    }
  }

  bool arrives_from_outside(const Instruction &in) const {
    uint64_t key = place_key(section_of(in), in.offset);
    return context_.landing_pads_.contains(key) || context_.taken_.contains(key) || context_.tables_.contains(key);
  }

  // ---- blocks ----

  // Padding right in front of a leader belongs to the edge that falls into it;
  // other padding is part of its block. Instructions are put in final order:
  // block by block, edge padding at the end.
  void cut_blocks() {
    p_.blocks = {{BlockKind::entry, 0, 0}, {BlockKind::exit, 0, 0}};
    std::vector<Instruction> ordered, padding;
    std::vector<uint32_t> new_index(p_.instructions.size(), kNoStatement);
    std::vector<std::pair<uint32_t, uint32_t>> pads;  // per block: range in `padding`
    uint32_t n = static_cast<uint32_t>(p_.instructions.size());
    for (uint32_t i = 0; i < n;) {
      uint32_t pad_begin = static_cast<uint32_t>(padding.size());
      uint32_t j = i;
      while (j < n && p_.instructions[j].padding) ++j;
      if (j == n) break;  // behind the last instruction: never executed
      for (; i < j; ++i) padding.push_back(p_.instructions[i]);
      Block b{BlockKind::code, static_cast<uint32_t>(ordered.size()), 0};
      do {
        new_index[i] = static_cast<uint32_t>(ordered.size());
        ordered.push_back(p_.instructions[i]);
        ++i;
        // Look past padding: does a leader follow?
        j = i;
        while (j < n && p_.instructions[j].padding) ++j;
        if (j == n || leader_[j] || (j != i && leader_[i])) break;
      } while (true);
      b.count = static_cast<uint32_t>(ordered.size()) - b.first;
      block_of_first_[b.first] = static_cast<uint32_t>(p_.blocks.size());
      p_.blocks.push_back(b);
      pads.emplace_back(pad_begin, static_cast<uint32_t>(padding.size()));
    }
    for (uint32_t k = 0; k < pads.size(); ++k) {
      pads_[k + 2] = {static_cast<uint32_t>(ordered.size()) + pads[k].first, pads[k].second - pads[k].first};
    }
    std::vector<uint32_t> moved(ordered.size(), kNoStatement);
    for (uint32_t i = 0; i < n; ++i) {
      if (new_index[i] != kNoStatement && targets_[i] != kNoStatement) moved[new_index[i]] = new_index[targets_[i]];
    }
    targets_ = std::move(moved);
    for (auto &[key, i] : at_) i = new_index[i];
    ordered.insert(ordered.end(), padding.begin(), padding.end());
    p_.instructions = std::move(ordered);
  }

  uint32_t block_at(uint32_t instruction) const { return block_of_first_.at(instruction); }

  const Instruction &last_of(uint32_t block) const {
    const Block &b = p_.blocks[block];
    return p_.instructions[b.first + b.count - 1];
  }

  // ---- edges ----

  uint32_t add_edge(uint32_t from, uint32_t to, EdgeKind kind) {
    p_.edges.push_back({from, to, kind, 0, 0, {}});
    return static_cast<uint32_t>(p_.edges.size() - 1);
  }

  void direct_edges() {
    add_edge(kExit, kEntry, EdgeKind::return_edge);
    add_edge(kEntry, 2, EdgeKind::enter);
    uint32_t blocks = static_cast<uint32_t>(p_.blocks.size());
    for (uint32_t b = 2; b < blocks; ++b) {
      const Instruction &last = last_of(b);
      uint32_t index = p_.blocks[b].first + p_.blocks[b].count - 1;
      switch (last.decoded.flow) {
        case isa::Flow::leave:
          add_edge(b, kExit, last.decoded.traps ? EdgeKind::never : EdgeKind::leave);
          break;
        case isa::Flow::jump:
          if (last.decoded.indirect) {
            jumps_.push_back(b);
          } else if (targets_[index] != kNoStatement) {
            add_edge(b, block_at(targets_[index]), EdgeKind::jump);
          } else {
            add_edge(b, kExit, EdgeKind::tail_call);
          }
          break;
        case isa::Flow::conditional:
          if (targets_[index] != kNoStatement) {
            add_edge(b, block_at(targets_[index]), EdgeKind::taken);
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

  void fall_edge(uint32_t b, uint32_t blocks) {
    const Instruction &last = last_of(b);
    bool has_next = b + 1 < blocks && p_.instructions[p_.blocks[b + 1].first].fragment == last.fragment;
    if (!has_next) {
      // Behind a call the compiler knows not to return there is nothing.
      if (last.decoded.flow == isa::Flow::call) {
        add_edge(b, kExit, EdgeKind::never);
      } else {
        fail(last, "control runs off the end of the function");
      }
      return;
    }
    if (last.decoded.flow == isa::Flow::call && may_return_twice(last)) {
      second_return(b);
      return;
    }
    uint32_t e = add_edge(b, b + 1, EdgeKind::fall);
    p_.edges[e].padding_first = pads_[b + 1].first;
    p_.edges[e].padding_count = pads_[b + 1].second;
  }

  // Both returns of setjmp arrive at the same instruction, so the probe must stand
  // behind a vertex in which they have met.
  void second_return(uint32_t b) {
    uint32_t landing = static_cast<uint32_t>(p_.blocks.size());
    p_.blocks.push_back({BlockKind::landing, 0, 0});
    add_edge(b, landing, EdgeKind::landing);
    add_edge(kEntry, landing, EdgeKind::landing);
    uint32_t e = add_edge(landing, b + 1, EdgeKind::fall);
    p_.edges[e].padding_first = pads_[b + 1].first;
    p_.edges[e].padding_count = pads_[b + 1].second;
  }

  // ---- indirect jumps ----

  void indirect_jumps() {
    DispatchInput input;
    input.source = &source_;
    input.symbols = &unit_.symbols;
    input.procedure = &p_;
    collect_known_labels(input);
    if (jumps_.empty()) return;
    input.predecessors.resize(p_.blocks.size());
    for (size_t e = 1; e < p_.edges.size(); ++e) input.predecessors[p_.edges[e].to].push_back(p_.edges[e].from);
    // As long as nothing is known, any of the jumps may lead to any known label.
    for (const auto &[first, block] : block_of_first_) {
      const Instruction &in = p_.instructions[first];
      uint64_t key = place_key(section_of(in), in.offset);
      if (!context_.tables_.contains(key) && !context_.taken_.contains(key)) continue;
      std::vector<uint32_t> &into = input.predecessors[block];
      into.insert(into.end(), jumps_.begin(), jumps_.end());
    }
    add_jumps(input);
    std::set<uint32_t> dispatched;
    for (const Dispatch &d : resolve_dispatch(input)) {
      add_dispatch(d);
      dispatched.insert(d.jumps.begin(), d.jumps.end());
    }
    for (uint32_t b : jumps_) {
      if (!dispatched.contains(b)) add_edge(b, kExit, EdgeKind::tail_call);
    }
  }

  void add_jumps(DispatchInput &input) {
    std::vector<std::optional<int64_t>> depths;
    for (uint32_t b : jumps_) {
      std::optional<bool> stands = frame_stands_at(source_, p_, last_of(b));
      if (!stands && depths.empty()) depths = stack_depths(p_, ways_within(input.predecessors));
      input.jumps.push_back({b, stands ? *stands : depths[b].value_or(0) != 0});
    }
  }

  // Without those that come from outside with a frame of their own.
  std::vector<std::vector<uint32_t>> ways_within(std::vector<std::vector<uint32_t>> predecessors) const {
    for (uint32_t b = 0; b < predecessors.size(); ++b) {
      if (p_.blocks[b].kind == BlockKind::landing) std::erase(predecessors[b], kEntry);
    }
    return predecessors;
  }

  void collect_known_labels(DispatchInput &input) {
    std::set<uint32_t> tables;
    for (const auto &[first, block] : block_of_first_) {
      const Instruction &in = p_.instructions[first];
      uint64_t key = place_key(section_of(in), in.offset);
      if (auto it = context_.tables_.find(key); it != context_.tables_.end()) {
        tables.insert(it->second.begin(), it->second.end());
      }
      if (auto it = context_.taken_.find(key); it != context_.taken_.end()) {
        input.taken.insert(input.taken.end(), it->second.begin(), it->second.end());
      }
    }
    input.tables.assign(tables.begin(), tables.end());
    // Labels somebody knows although no jump of ours can use them.
    known_tables_ = input.tables;
    known_taken_ = input.taken;
  }

  void add_dispatch(const Dispatch &d) {
    uint32_t vertex = static_cast<uint32_t>(p_.blocks.size());
    p_.blocks.push_back({BlockKind::dispatch, 0, 0});
    for (uint32_t b : d.jumps) {
      add_edge(b, vertex, EdgeKind::dispatch);
      if (d.may_leave) add_edge(b, kExit, EdgeKind::tail_call);
    }
    std::map<uint32_t, uint32_t> edge_to;  // target block -> edge
    for (const Mention &m : d.slots) {
      uint32_t label = unit_.symbols.find_label(source_, m.label, 0);
      uint32_t target = label == kNoStatement ? kNoStatement : instruction_at_label(label);
      // clang lets entries for impossible cases point behind the function.
      if (target == kNoStatement && is_end_of_ours(label)) continue;
      if (target == kNoStatement || !block_of_first_.contains(target)) {
        // A label of another procedure in the same table, or one behind the end.
        fail(last_of(d.jumps[0]), "a jump table that leads out of the function");
        return;
      }
      uint32_t block = block_at(target);
      auto [it, fresh] = edge_to.try_emplace(block, 0);
      if (fresh) it->second = add_edge(vertex, block, EdgeKind::dispatch);
      p_.edges[it->second].slots.push_back(m);
    }
    for (std::string_view name : d.unnamed) {
      uint32_t target = instruction_at_label(unit_.symbols.find_label(source_, name, 0));
      if (target == kNoStatement || !block_of_first_.contains(target)) continue;
      auto [it, fresh] = edge_to.try_emplace(block_at(target), 0);
      if (fresh) it->second = add_edge(vertex, block_at(target), EdgeKind::dispatch);
      p_.edges[it->second].slots.clear();  // some of the ways there cannot be renamed
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
    std::map<uint32_t, std::vector<Mention>> by_block;
    for (const auto &[first, block] : block_of_first_) {
      const Instruction &in = p_.instructions[first];
      auto it = context_.landing_pads_.find(place_key(section_of(in), in.offset));
      if (it != context_.landing_pads_.end()) by_block[block] = it->second;
    }
    // An address that none of our own jumps uses is there for others: a nested
    // function that leaves its caller by goto, which nothing tells us about.
    auto outside = [&](const Mention &m) {
      if (handled_.contains(m)) return;
      uint32_t label = unit_.symbols.find_label(source_, m.label, 0);
      uint32_t target = label == kNoStatement ? kNoStatement : instruction_at_label(label);
      if (target != kNoStatement && block_of_first_.contains(target)) {
        fail(p_.instructions[target], "code outside the function may jump here");
      }
    };
    for (uint32_t t : known_tables_) {
      const std::vector<Mention> &entries = unit_.symbols.tables[t].entries;
      std::for_each(entries.begin(), entries.end(), outside);
    }
    std::for_each(known_taken_.begin(), known_taken_.end(), outside);
    for (auto &[block, mentions] : by_block) {
      uint32_t vertex = static_cast<uint32_t>(p_.blocks.size());
      p_.blocks.push_back({BlockKind::landing, 0, 0});
      add_edge(kEntry, vertex, EdgeKind::landing);
      uint32_t e = add_edge(vertex, block, EdgeKind::landing);
      p_.edges[e].slots = mentions;
    }
  }

  // A branch with a reach of one byte can be given no stub. Where it meets other
  // ways in, a vertex in front of the block makes room for a probe behind all of them.
  void join_short_branches() {
    std::set<uint32_t> targets;
    for (const Edge &e : p_.edges) {
      if (e.kind == EdgeKind::taken && last_of(e.from).decoded.short_only) targets.insert(e.to);
    }
    for (uint32_t block : targets) {
      uint32_t vertex = static_cast<uint32_t>(p_.blocks.size());
      p_.blocks.push_back({BlockKind::join, 0, 0});
      for (Edge &e : p_.edges) {
        if (e.to == block) e.to = vertex;
      }
      add_edge(vertex, block, EdgeKind::fall);
    }
  }

  // ---- what the graph algorithms need ----

  std::vector<bool> closure(uint32_t from, bool forward) const {
    std::vector<std::vector<uint32_t>> next(p_.blocks.size());
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      forward ? next[x.from].push_back(x.to) : next[x.to].push_back(x.from);
    }
    std::vector<bool> seen(p_.blocks.size());
    std::vector<uint32_t> work = {from};
    seen[from] = true;
    while (!work.empty()) {
      uint32_t v = work.back();
      work.pop_back();
      for (uint32_t w : next[v]) {
        if (!seen[w]) {
          seen[w] = true;
          work.push_back(w);
        }
      }
    }
    return seen;
  }

  // Code nobody jumps to: dead, and counted as such.
  void make_reachable() {
    for (std::vector<bool> seen = closure(kEntry, true);;) {
      auto it = std::find(seen.begin() + 2, seen.end(), false);
      if (it == seen.end()) return;
      uint32_t v = static_cast<uint32_t>(it - seen.begin());
      add_edge(kEntry, v, EdgeKind::never);
      std::vector<bool> more = closure(v, true);
      for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || more[i];
    }
  }

  // Endless loops, and blocks behind which nothing comes.
  void make_leavable() {
    for (std::vector<bool> seen = closure(kExit, false);;) {
      auto it = std::find(seen.rbegin(), seen.rend(), false);
      if (it == seen.rend()) return;
      uint32_t v = static_cast<uint32_t>(seen.rend() - it - 1);
      add_edge(v, kExit, EdgeKind::never);
      std::vector<bool> more = closure(v, false);
      for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || more[i];
    }
  }

  const Source &source_;
  const Unit &unit_;
  const GraphBuilder &context_;
  Procedure &p_;
  std::unordered_map<uint64_t, uint32_t> at_;  // place -> instruction
  std::vector<bool> leader_;
  std::vector<uint32_t> targets_;              // direct branches: target instruction
  std::map<uint32_t, uint32_t> block_of_first_;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> pads_;  // block -> padding in front of it
  bool loads_twice_returning_ = false;         // some instruction names setjmp or the like
  std::vector<uint32_t> jumps_;                // blocks that end in an indirect jump
  std::vector<uint32_t> known_tables_;
  std::vector<Mention> known_taken_;
  std::set<Mention, MentionLess> handled_;
};

GraphBuilder::GraphBuilder(const Source &source, const Unit &unit) : source_(source), unit_(unit) {
  auto key = [&](const Mention &m) {
    uint32_t label = unit.symbols.find_label(source, m.label, 0);
    return place_key(source.statements[label].section, unit.layout.places[label].begin);
  };
  for (const Mention &m : unit.symbols.landing_pads) landing_pads_[key(m)].push_back(m);
  for (const Mention &m : unit.symbols.taken) taken_[key(m)].push_back(m);
  for (uint32_t t = 0; t < unit.symbols.tables.size(); ++t) {
    for (const Mention &m : unit.symbols.tables[t].entries) {
      std::vector<uint32_t> &list = tables_[key(m)];
      if (list.empty() || list.back() != t) list.push_back(t);
    }
    for (std::string_view base : unit.symbols.tables[t].bases) tables_[key({0, 0, base})].push_back(t);
  }
}

void GraphBuilder::build(Procedure &procedure) { ProcedureGraph(*this, procedure).build(); }

}  // namespace chord::assembly
