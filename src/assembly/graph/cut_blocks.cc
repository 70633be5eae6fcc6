#include "assembly/graph/cut_blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

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

}  // namespace

void skip_procedure(const Source &source, const Instruction &in, std::string_view what, Procedure &p) {
  if (p.skipped.empty()) p.skipped = fmt::format("line {}: {}", source.statements[in.last_statement].line, what);
}

Arrivals::Arrivals(const Source &source, const Unit &unit) {
  auto key = [&](const Mention &m) {
    uint32_t label = unit.symbols.find_label(source, m.label, 0);
    return place_key(source.statements[label].section, unit.layout.places[label].begin);
  };
  for (const Mention &m : unit.symbols.landing_pads) landing_pads[key(m)].push_back(m);
  for (const Mention &m : unit.symbols.taken) taken[key(m)].push_back(m);
  for (uint32_t t = 0; t < unit.symbols.tables.size(); ++t) {
    for (const Mention &m : unit.symbols.tables[t].entries) {
      if (unit.dead_ends.contains(unit.symbols.find_label(source, m.label, 0))) continue;
      std::vector<uint32_t> &list = tables[key(m)];
      if (list.empty() || list.back() != t) list.push_back(t);
    }
    for (std::string_view base : unit.symbols.tables[t].bases) tables[key({0, 0, base})].push_back(t);
  }
}

BlockIndex::BlockIndex(const Source &source, const Unit &unit, const Arrivals &arrivals, Procedure &p)
    : source_(source), unit_(unit), arrivals_(arrivals), p_(p) {
  place_instructions();
  find_leaders();
  if (p_.skipped.empty()) cut_blocks();
}

uint64_t BlockIndex::place_of(const Instruction &in) const {
  return place_key(p_.fragments[in.fragment].section, in.offset);
}

// ---- where control may arrive ----

void BlockIndex::place_instructions() {
  for (uint32_t i = 0; i < p_.instructions.size(); ++i) {
    at_.emplace(place_of(p_.instructions[i]), i);
  }
}

uint32_t BlockIndex::instruction_at_label(uint32_t label) const {
  const Statement &s = source_.statements[label];
  auto it = at_.find(place_key(s.section, unit_.layout.places[label].begin));
  return it == at_.end() ? kNoStatement : it->second;
}

// The instruction that control gets to from i through padding alone; i itself if it is none.
uint32_t BlockIndex::behind_padding(uint32_t i) const {
  uint32_t fragment = p_.instructions[i].fragment;
  while (i < p_.instructions.size() && p_.instructions[i].fragment == fragment) {
    if (!p_.instructions[i].padding) return i;
    ++i;
  }
  return kNoStatement;
}

std::optional<BlockIndex::Arrival> BlockIndex::arrival_at_label(uint32_t label) const {
  return label == kNoStatement ? std::nullopt : arrival_at(instruction_at_label(label));
}

std::optional<BlockIndex::Arrival> BlockIndex::arrival_at(uint32_t instruction) const {
  if (instruction == kNoStatement) return std::nullopt;
  if (auto it = block_of_first_.find(instruction); it != block_of_first_.end()) return Arrival{it->second, {}};
  auto it = block_of_padding_.find(instruction);
  if (it == block_of_padding_.end()) return std::nullopt;
  const Padding &whole = padding_.at(it->second);
  return Arrival{it->second, {instruction, whole.first + whole.count - instruction}};
}

std::vector<uint32_t> BlockIndex::arrivals_in(core::Vertex block) const {
  std::vector<uint32_t> places{p_.blocks[block].first};
  const Padding &padding = padding_.at(block);
  for (uint32_t i = padding.first; i < padding.first + padding.count; ++i) {
    if (block_of_padding_.contains(i)) places.push_back(i);
  }
  return places;
}

bool BlockIndex::inside(uint32_t label) const {
  const Statement &s = source_.statements[label];
  uint32_t position = unit_.layout.places[label].begin;
  for (const Fragment &f : p_.fragments) {
    if (f.section == s.section && position >= f.begin && position < f.end) return true;
  }
  return false;
}

// Where a direct branch goes: an instruction of ours, or outside (kNoStatement).
uint32_t BlockIndex::branch_target(const Instruction &in) {
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
  if (target != kNoStatement && behind_padding(target) == kNoStatement) target = kNoStatement;
  if (target == kNoStatement) fail(in, "a branch to something that is no instruction");
  return target;
}

// A compiler that avoids the PLT may keep setjmp's address in a register; then any
// call through an unknown address may be it.
bool BlockIndex::may_return_twice(const Instruction &in) const {
  std::string_view callee = called_symbol(source_, in);
  return returns_twice(callee) || (callee.empty() && loads_twice_returning_);
}

bool BlockIndex::loads_twice_returning(const Instruction &in) const {
  if (in.padding || in.decoded.flow != isa::Flow::next) return false;
  std::vector<std::string_view> symbols = symbols_in(statement(in).operands);
  return std::any_of(symbols.begin(), symbols.end(), returns_twice);
}

void BlockIndex::find_leaders() {
  loads_twice_returning_ = std::any_of(p_.instructions.begin(), p_.instructions.end(),
                                       [&](const Instruction &in) { return loads_twice_returning(in); });
  leader_.assign(p_.instructions.size() + 1, false);
  targets_.assign(p_.instructions.size(), kNoStatement);
  for (uint32_t i = 0; i < p_.instructions.size(); ++i) find_leaders_around(i);
  pass_over_padding();
}

void BlockIndex::find_leaders_around(uint32_t i) {
  const Instruction &in = p_.instructions[i];
  if (i == 0 || in.fragment != p_.instructions[i - 1].fragment) leader_[i] = true;
  leader_[i] = leader_[i] || arrives_from_outside(in);
  if (in.padding) return;
  // The routine goes on after the return instruction that follows its call, with another stack, and
  // with the return instruction once the function is done: neither may move, and no frame is where it was.
  if (source_.statements[in.last_statement].operands.find("__morestack") != std::string_view::npos) {
    skip_procedure(source_, in, "goes on with another stack (-fsplit-stack)", p_);
  }
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

// A block starts with the padding before its first instruction only if
// nobody else can jump after it; padding never starts a block by itself.
void BlockIndex::pass_over_padding() {
  for (uint32_t i = 0; i < p_.instructions.size(); ++i) {
    if (!p_.instructions[i].padding || !leader_[i]) continue;
    leader_[i] = false;
    uint32_t next = i + 1;
    while (next < p_.instructions.size() && p_.instructions[next].padding) ++next;
    if (next < p_.instructions.size()) leader_[next] = true;
  }
}

bool BlockIndex::arrives_from_outside(const Instruction &in) const {
  uint64_t key = place_of(in);
  return arrivals_.landing_pads.contains(key) || arrivals_.taken.contains(key) || arrivals_.tables.contains(key);
}

// ---- blocks ----

// Padding right before a leader belongs to the edge that falls into it;
// other padding is part of its block. Instructions are put in final order:
// block by block, edge padding at the end.
void BlockIndex::cut_blocks() {
  p_.blocks = {{BlockKind::entry, 0, 0}, {BlockKind::exit, 0, 0}};
  std::vector<Instruction> ordered, padding;
  std::vector<uint32_t> new_index(p_.instructions.size(), kNoStatement);
  std::vector<std::pair<uint32_t, uint32_t>> pads;  // per block: range in `padding`
  uint32_t n = static_cast<uint32_t>(p_.instructions.size());
  for (uint32_t i = 0; i < n;) {
    uint32_t pad_begin = static_cast<uint32_t>(padding.size());
    uint32_t j = i;
    while (j < n && p_.instructions[j].padding) ++j;
    if (j == n) break;  // after the last instruction: never executed
    for (; i < j; ++i) {
      new_index[i] = n + static_cast<uint32_t>(padding.size());  // `ordered` comes first, once it is complete
      padding.push_back(p_.instructions[i]);
    }
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
    block_of_first_[b.first] = core::Vertex(p_.blocks.size());
    p_.blocks.push_back(b);
    pads.emplace_back(pad_begin, static_cast<uint32_t>(padding.size()));
  }
  for (uint32_t k = 0; k < pads.size(); ++k) {
    Padding &of = padding_[k + 2] = {static_cast<uint32_t>(ordered.size()) + pads[k].first, pads[k].second - pads[k].first};
    // Padding after the last instruction of another fragment does not lead here.
    for (uint32_t i = 0; i < of.count; ++i) {
      if (padding[pads[k].first + i].fragment == ordered[p_.blocks[k + 2].first].fragment) block_of_padding_[of.first + i] = core::Vertex(k + 2);
    }
  }
  for (uint32_t &i : new_index) {
    if (i != kNoStatement && i >= n) i += static_cast<uint32_t>(ordered.size()) - n;
  }
  std::vector<uint32_t> moved(ordered.size(), kNoStatement);
  for (uint32_t i = 0; i < n; ++i) {
    if (targets_[i] != kNoStatement) moved[new_index[i]] = new_index[targets_[i]];
  }
  targets_ = std::move(moved);
  for (auto &[key, i] : at_) i = new_index[i];
  ordered.insert(ordered.end(), padding.begin(), padding.end());
  p_.instructions = std::move(ordered);
}

}  // namespace chord::assembly
