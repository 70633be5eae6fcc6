#include "verify/program/tables.h"

#include <algorithm>

#include "verify/program/usual_convention.h"

namespace chord::verify {

Tables::Tables(const Program &program) : p_(program) {
  for (const Mention &m : p_.mentions()) {
    if (m.lands) continue;
    uint32_t function = p_.instrs()[m.instruction].function;
    if (!counts_from_its_table(m)) stored_.insert(function);
    if (m.table != kNone) entries_[function][m.table].push_back(m.instruction);
  }
  for (const auto &[function, tables] : entries_) {
    const Function &f = p_.functions()[function];
    bool jumps = std::any_of(f.instructions.begin(), f.instructions.end(), [&](uint32_t i) {
      return p_.instrs()[i].facts.flow == Flow::jump && p_.instrs()[i].facts.indirect;
    });
    if (jumps) look_at(function);
  }
}

const std::vector<uint32_t> &Tables::targets(uint32_t jump) const {
  uint32_t function = p_.instrs()[jump].function;
  auto table = table_of_.find(jump);
  return table == table_of_.end() ? p_.functions()[function].named : entries_.at(function).at(table->second);
}

bool Tables::keeps_addresses_out_of_memory(uint32_t function) const { return entries_.contains(function) && !stored_.contains(function); }

// `label - table`, as compilers write the entries of a switch: no address by itself.
bool Tables::counts_from_its_table(const Mention &m) const {
  if (m.table == kNone) return false;
  std::string_view operand = assembly::split_operands(p_.source().statements[m.statement].operands)[m.operand];
  std::vector<std::string_view> names = assembly::symbols_in(operand);
  return names.size() == 2 && operand == std::string(names[0]) + "-" + std::string(names[1]) && p_.label(names[1], m.statement) == m.table;
}

bool Tables::stores_entry(uint32_t i, const State &before) const {
  const Facts &x = p_.instrs()[i].facts;
  for (unsigned r = 0; x.stores && r < 16; ++r) {
    if ((x.reads & general(r)) && before[r].entry) return true;
  }
  return false;
}

// The table that an operand of the instruction names.
uint32_t Tables::table_named(uint32_t i) const {
  auto tables = entries_.find(p_.instrs()[i].function);
  if (tables == entries_.end()) return kNone;
  uint32_t last = p_.instrs()[i].last;
  for (std::string_view name : assembly::symbols_in(p_.source().statements[last].operands)) {
    uint32_t label = p_.label(name, last);
    if (label != kNone && tables->second.contains(label)) return label;
  }
  return kNone;
}

// What a memory operand with an index reads: by the table's name, or by a register that holds its address.
Tables::Value Tables::loaded(uint32_t i, const State &before) const {
  const MemoryOperand &m = p_.instrs()[i].facts.memory;
  if (!m.present || m.index == kNoRegister || m.only_address) return {};
  if (m.base == kNoRegister) return {table_named(i), true};
  const Value &base = before[m.base], &index = before[m.index];
  if (base.table != kNone && !base.entry) return {base.table, true};
  if (index.table != kNone && !index.entry) return {index.table, true};
  return {};
}

Tables::State Tables::behind(uint32_t i, const State &before) const {
  const Facts &x = p_.instrs()[i].facts;
  State out = before;
  for (unsigned r = 0; r < 16; ++r) {
    if ((x.writes & general(r)) || (x.flow == Flow::call && !(kPreserved & general(r)))) out[r] = {};
  }
  if (x.flow != Flow::next) return out;
  Set set = x.writes & kGenerals;
  unsigned into = kNoRegister;
  for (unsigned r = 0; r < 16; ++r) {
    if (set == general(r)) into = r;
  }
  if (into == kNoRegister) return out;
  // An entry counts from its table's address.
  auto together = [](const Value &a, const Value &b) { return a.table != kNone && a.table == b.table && a.entry != b.entry ? Value{a.table, true} : Value{}; };
  const MemoryOperand &m = x.memory;
  if (x.added_to == into) {
    out[into] = together(before[into], before[x.added]);
  } else if (m.present && m.only_address) {
    if (m.code_relative && table_named(i) != kNone) out[into] = {table_named(i), false};
    if (m.base != kNoRegister && m.index != kNoRegister && m.displacement == 0) out[into] = together(before[m.base], before[m.index]);
  } else if (x.loads) {
    out[into] = loaded(i, before);
  } else if (x.sum.into == into && x.sum.from != into && x.sum.plus == 0) {
    out[into] = before[x.sum.from];
  } else if (!m.present && !(x.reads & kGenerals) && table_named(i) != kNone) {
    out[into] = {table_named(i), false};  // mov $table
  }
  return out;
}

// The table whose entry a jump goes by.
uint32_t Tables::table_read(uint32_t i, const State &before) const {
  const Facts &x = p_.instrs()[i].facts;
  Value to = loaded(i, before);
  for (unsigned r = 0; !x.memory.present && r < 16; ++r) {
    if (x.reads & general(r)) to = before[r];
  }
  return to.entry ? to.table : kNone;
}

// What registers hold only ever becomes less certain, and jumps that lead to one table at first then lead
// everywhere: what is left at the end holds on all paths.
void Tables::look_at(uint32_t function) {
  const Function &f = p_.functions()[function];
  std::map<uint32_t, State> before;
  std::vector<uint32_t> waiting;
  auto reach = [&](uint32_t i, const State &state) {
    if (i == kNone || p_.instrs()[i].function != function) return;
    auto [at, first] = before.emplace(i, state);
    if (!first) {
      State both = at->second;
      for (unsigned r = 0; r < 16; ++r) {
        if (!(both[r] == state[r])) both[r] = {};
      }
      if (both == at->second) return;
      at->second = both;
    }
    waiting.push_back(i);
  };
  auto drain = [&] {
    while (!waiting.empty()) {
      uint32_t i = waiting.back();
      waiting.pop_back();
      const Instr &in = p_.instrs()[i];
      State after = behind(i, before.at(i));
      if (in.facts.flow == Flow::next || in.facts.flow == Flow::conditional || in.facts.flow == Flow::call) reach(in.next, after);
      if (in.facts.flow == Flow::jump || in.facts.flow == Flow::conditional) reach(in.target, after);
      if (in.facts.flow == Flow::jump && in.facts.indirect) {
        uint32_t table = table_read(i, before.at(i));
        for (uint32_t to : table == kNone ? f.named : entries_.at(function).at(table)) reach(to, after);
      }
    }
  };
  reach(f.entry, {});
  for (uint32_t i : f.landings) reach(i, {});
  drain();
  for (const auto &[i, state] : before) {
    const Facts &x = p_.instrs()[i].facts;
    if (stores_entry(i, state)) stored_.insert(function);
    if (x.flow != Flow::jump || !x.indirect) continue;
    if (uint32_t table = table_read(i, state); table != kNone) table_of_.emplace(i, table);
  }
}

}  // namespace chord::verify
