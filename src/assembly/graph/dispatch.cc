#include "assembly/graph/dispatch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace chord::assembly {
namespace {

class Search {
 public:
  explicit Search(const DispatchInput &in) : in_(in) {}

  // Some search was given up.
  bool gave_up() const { return gave_up_; }

  // Tables whose address feeds the jump; `complete` if every path back found one.
  std::set<uint32_t> tables_of(core::Vertex block, bool &complete) {
    found_.clear();
    visited_.clear();
    complete_ = true;
    const Block &b = in_.procedure->blocks[block];
    const Instruction &jump = in_.procedure->instructions[b.first + b.count - 1];
    if (uint32_t t = table_in(jump); t != kNoStatement) {
      found_.insert(t);
    } else {
      back({block, b.count - 1, feeds(jump), false});
    }
    complete = complete_ && !found_.empty();
    return found_;
  }

 private:
  // The table that an operand of the instruction names.
  uint32_t table_in(const Instruction &in) const {
    for (uint32_t s = in.first_statement; s <= in.last_statement; ++s) {
      for (std::string_view operand : split_operands(in_.source->statements[s].operands)) {
        auto it = in_.symbols->table_named.find(first_symbol(operand));
        if (it != in_.symbols->table_named.end() &&
            std::find(in_.tables.begin(), in_.tables.end(), it->second) != in_.tables.end()) {
          return it->second;
        }
      }
    }
    return kNoStatement;
  }

  // Registers through which a table's address may come into the instruction's result.
  // A scaled index is a position in the table, not its address.
  static isa::Resources feeds(const Instruction &in) {
    const isa::Decoded &d = in.decoded;
    isa::Resources reads = d.reads & isa::all_registers();
    if (d.address_scale == 0) return reads;
    isa::Resources others = reads & ~(d.address_base | d.address_index);
    bool is_load = (d.traits & isa::kLoad) != 0;
    if (is_load) others = 0;
    return others | d.address_base | (d.address_scale == 1 ? d.address_index : 0);
  }

  // Paths multiply with the registers asked for; a search that does not end
  // soon is given up, and the jump may then know every table.
  static constexpr size_t kMostWays = 5000;

  // A path back: the first `count` instructions of the block are still to be seen.
  struct Path {
    core::Vertex block;
    uint32_t count;
    isa::Resources wanted;
    bool found;
  };

  // Follows what defines the wanted registers. Iterative; a block is entered once for
  // each set of wanted registers.
  void back(const Path &start) {
    std::vector<Path> paths = {start};
    while (!paths.empty()) {
      if (visited_.size() > kMostWays) {
        gave_up_ = true;
        complete_ = false;
        return;
      }
      Path path = paths.back();
      paths.pop_back();
      through_block(path);
      if (path.wanted == 0 || in_.predecessors[path.block].empty()) {
        complete_ = complete_ && path.found;
        continue;
      }
      for (core::Vertex p : in_.predecessors[path.block]) {
        if (in_.procedure->blocks[p].kind != BlockKind::code) {
          complete_ = complete_ && path.found;
        } else if (visited_.emplace(p, path.wanted, path.found).second) {
          paths.push_back({p, in_.procedure->blocks[p].count, path.wanted, path.found});
        }
      }
    }
  }

  void through_block(Path &path) {
    const Block &b = in_.procedure->blocks[path.block];
    for (uint32_t k = path.count; k-- > 0 && path.wanted != 0;) {
      const Instruction &in = in_.procedure->instructions[b.first + k];
      if (in.decoded.flow == isa::Flow::call) {
        path.wanted &= ~isa::call_clobbers();  // a result of a call is no address of ours
        continue;
      }
      if (!(in.decoded.writes & path.wanted)) continue;
      path.wanted &= ~in.decoded.kills;
      if (uint32_t t = table_in(in); t != kNoStatement) {
        found_.insert(t);
        path.found = true;
      } else if (isa::is_stack_slot(in.decoded)) {
        complete_ = false;  // what was put there is not followed
      } else {
        path.wanted |= feeds(in);
      }
    }
  }

  const DispatchInput &in_;
  std::set<uint32_t> found_;
  std::set<std::tuple<uint32_t, isa::Resources, bool>> visited_;
  bool complete_ = true;
  bool gave_up_ = false;
};

// Groups of tables and jumps that belong together.
class Grouping {
 public:
  explicit Grouping(size_t tables) : parent_(tables + 1) { std::iota(parent_.begin(), parent_.end(), 0u); }
  uint32_t anything() const { return static_cast<uint32_t>(parent_.size() - 1); }
  uint32_t find(uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(uint32_t a, uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<uint32_t> parent_;
};

// A jump that cannot leave, of which not every way back was followed: it knows the tables that some ways lead to, whoever else uses them; any,
// if none does.
void stay(const std::set<uint32_t> &found, const std::map<uint32_t, uint32_t> &own, Grouping &groups) {
  for (auto [t, k] : own) {
    if (found.empty() || found.contains(t)) groups.join(k, groups.anything());
  }
}

}  // namespace

std::vector<Dispatch> resolve_dispatch(const DispatchInput &in) {
  Search search(in);
  // Position of a table among ours, so that groups are small numbers.
  std::map<uint32_t, uint32_t> own;
  for (uint32_t t : in.tables) own.emplace(t, static_cast<uint32_t>(own.size()));
  Grouping groups(own.size());

  std::vector<uint32_t> group_of_jump(in.jumps.size());
  std::vector<bool> unresolved(in.jumps.size());
  std::vector<bool> table_used(own.size());
  for (size_t j = 0; j < in.jumps.size(); ++j) {
    bool complete = false;
    std::set<uint32_t> tables = search.tables_of(in.jumps[j].block, complete);
    unresolved[j] = !complete;
    if (!complete && in.jumps[j].frame_is_up) stay(tables, own, groups);
    if (!complete) continue;
    group_of_jump[j] = own.at(*tables.begin());
    for (uint32_t t : tables) {
      groups.join(own.at(t), group_of_jump[j]);
      table_used[own.at(t)] = true;
    }
  }
  // What a jump of unknown origin may know: labels named by instructions, arrays the
  // program itself named, and tables nobody else uses.
  bool anything_known = !in.taken.empty();
  for (auto [t, k] : own) {
    anything_known = anything_known || groups.find(k) == groups.find(groups.anything());
    if (in.symbols->tables[t].compiler_made && table_used[k] && !search.gave_up()) continue;
    groups.join(k, groups.anything());
    anything_known = true;
  }
  std::map<uint32_t, Dispatch> dispatches;
  for (size_t j = 0; j < in.jumps.size(); ++j) {
    if (unresolved[j] && !anything_known) continue;  // a tail call
    uint32_t g = groups.find(unresolved[j] ? groups.anything() : group_of_jump[j]);
    Dispatch &d = dispatches[g];
    d.jumps.push_back(in.jumps[j].block);
    if (unresolved[j] && !in.jumps[j].frame_is_up) d.leaving.push_back(in.jumps[j].block);
  }
  for (auto &[g, d] : dispatches) {
    for (auto [t, k] : own) {
      if (groups.find(k) != g) continue;
      const std::vector<Mention> &entries = in.symbols->tables[t].entries;
      d.slots.insert(d.slots.end(), entries.begin(), entries.end());
      const std::vector<std::string_view> &bases = in.symbols->tables[t].bases;
      d.unnamed.insert(d.unnamed.end(), bases.begin(), bases.end());
    }
    if (g == groups.find(groups.anything())) d.slots.insert(d.slots.end(), in.taken.begin(), in.taken.end());
  }
  std::vector<Dispatch> out;
  for (auto &[g, d] : dispatches) out.push_back(std::move(d));
  return out;
}

}  // namespace chord::assembly
