#include "assembly/dispatch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace chord::assembly {
namespace {

class Search {
 public:
  explicit Search(const DispatchInput &in) : in_(in) {}

  // Tables whose address feeds the jump; `complete` if every way back found one.
  std::set<uint32_t> tables_of(uint32_t block, bool &complete) {
    found_.clear();
    visited_.clear();
    complete_ = true;
    const Block &b = in_.procedure->blocks[block];
    const Instruction &jump = in_.procedure->instructions[b.first + b.count - 1];
    if (uint32_t t = table_in(jump); t != kNoStatement) {
      found_.insert(t);
    } else {
      back(block, b.count - 1, jump.decoded.reads);
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

  // Walks backward from instruction `count` of the block, following what defines
  // the wanted registers. Iterative: a way is a block and a wanted set.
  void back(uint32_t block, uint32_t count, isa::Resources wanted) {
    std::vector<std::tuple<uint32_t, uint32_t, isa::Resources>> ways = {{block, count, wanted}};
    while (!ways.empty()) {
      auto [b, n, want] = ways.back();
      ways.pop_back();
      if (!through_block(b, n, want)) continue;
      if (in_.predecessors[b].empty()) complete_ = false;
      for (uint32_t p : in_.predecessors[b]) {
        if (in_.procedure->blocks[p].kind != BlockKind::code) {
          complete_ = false;
        } else if (visited_.insert(p).second) {
          ways.emplace_back(p, in_.procedure->blocks[p].count, want);
        }
      }
    }
  }

  // False if the way ends inside the block.
  bool through_block(uint32_t block, uint32_t count, isa::Resources &wanted) {
    const Block &b = in_.procedure->blocks[block];
    for (uint32_t k = count; k-- > 0;) {
      const Instruction &in = in_.procedure->instructions[b.first + k];
      if (in.decoded.flow == isa::Flow::call) {
        wanted &= ~isa::call_clobbers();  // a result of a call is no address of ours
        continue;
      }
      if (!wanted) break;
      if (!(in.decoded.writes & wanted)) continue;
      if (uint32_t t = table_in(in); t != kNoStatement) {
        found_.insert(t);
        return false;
      }
      wanted = (wanted & ~in.decoded.kills) | (in.decoded.reads & isa::all_registers());
    }
    if (!wanted) complete_ = false;
    return wanted != 0;
  }

  const DispatchInput &in_;
  std::set<uint32_t> found_;
  std::set<uint32_t> visited_;
  bool complete_ = true;
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
    if (in.symbols->tables[t].compiler_made && table_used[k]) continue;
    groups.join(k, groups.anything());
    anything_known = true;
  }
  std::map<uint32_t, Dispatch> dispatches;
  for (size_t j = 0; j < in.jumps.size(); ++j) {
    if (unresolved[j] && !anything_known) continue;  // a tail call
    uint32_t g = groups.find(unresolved[j] ? groups.anything() : group_of_jump[j]);
    Dispatch &d = dispatches[g];
    d.jumps.push_back(in.jumps[j].block);
    d.may_leave = d.may_leave || (unresolved[j] && !in.jumps[j].frame_is_up);
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
