// Second half of building procedures: fragments that jump into each other become
// one procedure, then blocks and edges.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "assembly/graph/build_graph.h"
#include "assembly/graph/fragments.h"
#include "assembly/graph/procedure.h"
#include "assembly/unit/early_code.h"
#include "assembly/unit/entry_names.h"
#include "assembly/unit/evidence.h"
#include "assembly/unit/exposed_code.h"
#include "assembly/unit/known_callers.h"
#include "assembly/unit/liveness.h"

namespace chord::assembly {
namespace {

bool is_cold_part(std::string_view name, std::string_view of) {
  return name.size() > of.size() && name.starts_with(of) && name.substr(of.size()).starts_with(".cold");
}
bool is_cold_name(std::string_view name) { return name.find(".cold") != std::string_view::npos; }

bool has_vectors(const Procedure &p) {
  return std::any_of(p.instructions.begin(), p.instructions.end(),
                     [](const Instruction &in) { return isa::vector_use(in.decoded) != isa::VectorUse::none; });
}

// Which fragment a byte of a section belongs to.
class FragmentIndex {
 public:
  explicit FragmentIndex(const std::vector<DecodedFragment> &fragments) {
    for (uint32_t i = 0; i < fragments.size(); ++i) {
      const Fragment &f = fragments[i].place;
      starts_[f.section][f.begin] = {f.end, i};
      statements_[f.section][f.first_statement] = {f.last_statement, i};
    }
  }
  uint32_t find(uint32_t section, uint32_t position) const { return find_in(starts_, section, position); }
  // The one a statement is written in. After the last instruction that need not be the one
  // its place belongs to.
  uint32_t find_written(uint32_t section, uint32_t statement) const { return find_in(statements_, section, statement); }

 private:
  // By section: from the first number to after the last one, of which fragment?
  using Ranges = std::unordered_map<uint32_t, std::map<uint32_t, std::pair<uint32_t, uint32_t>>>;

  static uint32_t find_in(const Ranges &ranges, uint32_t section, uint32_t number) {
    auto of = ranges.find(section);
    if (of == ranges.end()) return kNoStatement;
    auto it = of->second.upper_bound(number);
    if (it == of->second.begin()) return kNoStatement;
    --it;
    return number < it->second.first ? it->second.second : kNoStatement;
  }

  Ranges starts_, statements_;
};

class UnitBuilder {
 public:
  UnitBuilder(const Source &source, Unit &unit)
      : source_(source),
        unit_(unit),
        fragments_(decode_fragments(source, unit.layout, unit.symbols)),
        index_(fragments_),
        parent_(fragments_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  void run() {
    for (uint32_t f = 0; f < fragments_.size(); ++f) join_by_jumps(f);
    for (const Table &table : unit_.symbols.tables) join_by_table(table);
    std::map<uint32_t, std::vector<uint32_t>> members;
    for (uint32_t f = 0; f < fragments_.size(); ++f) members[find(f)].push_back(f);
    std::vector<std::vector<uint32_t>> order;
    for (auto &[root, list] : members) order.push_back(list);
    std::sort(order.begin(), order.end());
    for (const std::vector<uint32_t> &list : order) {
      if (!is_empty_part(list)) unit_.procedures.push_back(make(list));
    }
    unit_.entry_named = name_entries(unit_);
    skip_exposed_code(unit_);
    GraphBuilder builder(source_, unit_);
    for (Procedure &p : unit_.procedures) {
      if (p.skipped.empty()) builder.build(p);
    }
    unit_.has_vectors = std::any_of(unit_.procedures.begin(), unit_.procedures.end(), has_vectors);
    skip_early_code(unit_);
    find_known_callers(unit_);
    find_conventions(unit_);
    find_wanted_registers(unit_);
  }

 private:
  uint32_t find(uint32_t f) {
    while (parent_[f] != f) f = parent_[f] = parent_[parent_[f]];
    return f;
  }

  // Also of a label after the last instruction, where the next function may start.
  bool is_within(const Fragment &f, uint32_t label) const {
    return label > f.first_statement && label < f.last_statement && source_.statements[label].section == f.section;
  }

  // A jump to a label inside another fragment makes the two one procedure.
  void join_by_jumps(uint32_t f) {
    for (const Instruction &in : fragments_[f].instructions) {
      if (in.padding || in.decoded.indirect) continue;
      if (in.decoded.flow != isa::Flow::jump && in.decoded.flow != isa::Flow::conditional) continue;
      std::string_view name = first_symbol(source_.statements[in.last_statement].operands);
      uint32_t label = unit_.symbols.find_label(source_, name, in.last_statement);
      if (label == kNoStatement || is_within(fragments_[f].place, label)) continue;
      uint32_t other = index_.find(source_.statements[label].section, unit_.layout.places[label].begin);
      if (other == kNoStatement || other == f || is_dead_end(label)) continue;
      bool is_function = unit_.symbols.functions.contains(name) || unit_.symbols.globals.contains(name);
      if (is_function && !is_cold_part(name, fragments_[f].place.name)) continue;  // a tail call
      parent_[find(f)] = find(other);
    }
  }

  bool is_dead_end(uint32_t label) const {
    uint32_t f = index_.find_written(source_.statements[label].section, label);
    return f != kNoStatement && label != fragments_[f].place.first_statement &&
           unit_.layout.places[label].begin == fragments_[f].place.end;
  }

  // Some cold parts are reached through a table alone, with which other entries lead to the
  // function they are part of.
  void join_by_table(const Table &table) {
    std::set<uint32_t> reached;
    for (const Mention &m : table.entries) {
      uint32_t label = unit_.symbols.find_label(source_, m.label, 0);
      if (label == kNoStatement) continue;
      if (is_dead_end(label)) {
        unit_.dead_ends.insert(label);
        continue;
      }
      uint32_t f = index_.find(source_.statements[label].section, unit_.layout.places[label].begin);
      if (f != kNoStatement) reached.insert(f);
    }
    for (uint32_t part : reached) {
      for (uint32_t f : reached) {
        if (is_cold_part(fragments_[part].place.name, fragments_[f].place.name)) parent_[find(part)] = find(f);
      }
    }
  }

  // A cold part of nothing but such labels.
  bool is_empty_part(const std::vector<uint32_t> &list) const {
    const DecodedFragment &d = fragments_[list[0]];
    return list.size() == 1 && d.instructions.empty() && d.problem.empty() && is_cold_name(d.place.name);
  }

  Procedure make(std::vector<uint32_t> list) {
    // The entry fragment first, then the cold ones in text order.
    std::stable_partition(list.begin(), list.end(), [&](uint32_t f) { return !is_cold_name(fragments_[f].place.name); });
    Procedure p;
    p.name = fragments_[list[0]].place.name;
    p.global = unit_.symbols.globals.contains(p.name);
    uint32_t entries = 0;
    for (uint32_t f : list) {
      DecodedFragment &d = fragments_[f];
      entries += !is_cold_name(d.place.name);
      if (p.skipped.empty() && !d.problem.empty()) p.skipped = d.problem;
      uint32_t number = static_cast<uint32_t>(p.fragments.size());
      p.fragments.push_back(d.place);
      for (Instruction &in : d.instructions) {
        in.fragment = number;
        p.instructions.push_back(std::move(in));
      }
    }
    if (entries > 1 && p.skipped.empty()) p.skipped = "jumps into the middle of another function";
    if (p.instructions.empty() && p.skipped.empty()) p.skipped = "no instructions";
    if (!source_.preprocessing.empty() && p.skipped.empty()) {
      p.skipped = fmt::format("the file uses {}", source_.preprocessing);
    }
    return p;
  }

  const Source &source_;
  Unit &unit_;
  std::vector<DecodedFragment> fragments_;
  FragmentIndex index_;
  std::vector<uint32_t> parent_;
};

}  // namespace

core::Graph Procedure::graph() const {
  core::Graph g(static_cast<uint32_t>(blocks.size()), 0, 1);
  for (size_t e = 1; e < edges.size(); ++e) g.add_edge(edges[e].from, edges[e].to);
  return g;
}

std::string_view callee_of(const Source &source, const Instruction &in) {
  if (in.padding || in.decoded.indirect) return {};
  if (in.decoded.flow != isa::Flow::call && in.decoded.flow != isa::Flow::jump &&
      in.decoded.flow != isa::Flow::conditional) {
    return {};
  }
  return first_symbol(source.statements[in.last_statement].operands);
}

uint32_t local_callee(const Unit &unit, const Instruction &in) {
  auto found = unit.entry_named.find(callee_of(*unit.source, in));
  return found == unit.entry_named.end() ? kElsewhere : found->second;
}

void build_unit(const Source &source, Layout layout, Unit &out) {
  out.source = &source;
  out.layout = std::move(layout);
  out.symbols = index_symbols(source);
  UnitBuilder(source, out).run();
}

}  // namespace chord::assembly
