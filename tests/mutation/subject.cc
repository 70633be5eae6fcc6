#include "mutation/subject.h"

#include <algorithm>
#include <cstdio>

namespace chord::mutation {

using assembly::Statement;
using assembly::StatementKind;

Subject::Subject(const WovenCase &c) : c_(c) {
  read_source(c.woven.text, text_);
  inserted_.assign(text_.statements.size(), false);
  original_.assign(text_.statements.size(), kNowhere);
  size_t range = 0;
  uint32_t number = 0;
  for (uint32_t s = 0; s < text_.statements.size(); ++s) {
    uint32_t at = text_.statements[s].begin;
    while (range < c.inserted.size() && c.inserted[range].end <= at) ++range;
    inserted_[s] = range < c.inserted.size() && c.inserted[range].begin <= at;
    if (!inserted_[s]) original_[s] = number++;
  }
  tail_ = static_cast<uint32_t>(text_.statements.size());
  for (uint32_t s = 0; s < text_.statements.size(); ++s) {
    if (text_.statements[s].begin >= c.inserted.back().begin) tail_ = std::min(tail_, s);
    if (at(s).kind == StatementKind::label) label_.emplace(at(s).name, s);
    if (is_code(s) && !is_inserted(s) && at(s).name.starts_with('j')) jumped_to_.insert(at(s).operands);
    for (std::string_view name : assembly::symbols_in(at(s).operands)) {
      if (!is_inserted(s) && (at(s).name == ".long" || at(s).name == ".quad" || at(s).name == ".uleb128")) jumped_to_.insert(name);
    }
  }
  classify();
}

std::optional<std::pair<uint32_t, uint32_t>> Subject::instruction(uint32_t s) const {
  auto found = starts_.find(original_[s]);
  return found == starts_.end() ? std::nullopt : std::optional(found->second);
}

const isa::Decoded &Subject::decoded(uint32_t s) const {
  auto [p, i] = *instruction(s);
  return c_.unit.procedures[p].instructions[i].decoded;
}

uint32_t Subject::next_code(uint32_t s) const {
  for (uint32_t k = s + 1; k < tail_; ++k) {
    if (at(k).section == at(s).section && is_code(k)) return k;
  }
  return kNowhere;
}

uint32_t Subject::previous_code(uint32_t s) const {
  for (uint32_t k = s; k-- > 0;) {
    if (at(k).section == at(s).section && is_code(k)) return k;
  }
  return kNowhere;
}

uint32_t Subject::label(std::string_view name) const {
  auto found = label_.find(name);
  return found == label_.end() ? kNowhere : found->second;
}

uint32_t Subject::leads_to(uint32_t s) const {
  for (unsigned steps = 0; s != kNowhere && steps < 1000; ++steps) {
    if (is_code(s) && !is_inserted(s)) return s;
    if (is_code(s) && at(s).name == "jmp") {
      s = label(at(s).operands);
      if (s == kNowhere) return kNowhere;
    }
    s = next_code(s);
  }
  return kNowhere;
}

const assembly::Liveness &Subject::liveness(uint32_t procedure) const {
  auto found = liveness_.find(procedure);
  if (found == liveness_.end()) found = liveness_.emplace(procedure, assembly::compute_liveness(c_.unit, c_.unit.procedures[procedure])).first;
  return found->second;
}

std::set<unsigned> Subject::kept(uint32_t procedure, uint32_t instruction) const {
  std::set<unsigned> out;
  for (const format::Procedure &p : c_.woven.map.procedures) {
    if (p.name != c_.unit.procedures[procedure].name) continue;
    auto block = std::find_if(p.blocks.begin(), p.blocks.end(), [&](const format::Block &b) { return instruction - b.first < b.count; });
    auto number = static_cast<uint32_t>(block - p.blocks.begin());
    for (const format::Held &h : p.held) {
      if (std::find(h.blocks.begin(), h.blocks.end(), number) == h.blocks.end()) continue;
      for (unsigned r = 0; r < 16; ++r) {
        if (kDwarf[r] == h.place) out.insert(r);
      }
    }
    // The note at the end of the code says in which register the number of the path is.
    bool returns = c_.unit.procedures[procedure].instructions[instruction].decoded.flow == isa::Flow::leave;
    for (unsigned r = 0; p.plan.placement == core::Placement::paths && !returns && r < 16; ++r) {
      char note[32];
      std::snprintf(note, sizeof note, "nopl\t0x706143%02x", kDwarf[r]);
      uint32_t own = label(p.name);
      for (uint32_t k = own; k != kNowhere && k < tail_ && at(k).name != ".size"; ++k) {
        if (words(k).starts_with(note)) out.insert(r);
      }
    }
  }
  return out;
}

void Subject::classify() {
  for (uint32_t n = 0; n < c_.unit.procedures.size(); ++n) {
    const assembly::Procedure &p = c_.unit.procedures[n];
    bool woven = false;
    for (const format::Procedure &m : c_.woven.map.procedures) woven = woven || (m.name == p.name && m.skipped.empty());
    if (!woven) continue;
    for (uint32_t i = 0; i < p.instructions.size(); ++i) {
      if (p.instructions[i].decoded.flow == isa::Flow::call) calls_.insert(p.instructions[i].last_statement);
      if (!p.instructions[i].padding && p.instructions[i].first_statement == p.instructions[i].last_statement) {
        starts_[p.instructions[i].first_statement] = {n, i};
      }
    }
  }
  std::set<std::string_view> code_labels;
  for (uint32_t s = 0; s < tail_; ++s) {
    if (at(s).kind == StatementKind::label && text_.sections[at(s).section].executable) code_labels.insert(at(s).name);
  }
  for (uint32_t s = 0; s < tail_; ++s) {
    const Statement &x = at(s);
    if (inserted_[s] && is_code(s)) probe(s, x);
    if (!inserted_[s] && is_code(s) && instruction(s)) {
      originals.push_back(s);
      const isa::Decoded &d = decoded(s);
      if ((d.flow == isa::Flow::jump || d.flow == isa::Flow::conditional) && !d.indirect) jumps.push_back(s);
    }
    if (!inserted_[s] && (x.name == ".long" || x.name == ".quad") && !text_.sections[x.section].debug &&
        code_labels.contains(assembly::first_symbol(x.operands)) && assembly::first_symbol(x.operands).starts_with(".L")) {
      data.push_back(s);
    }
    if (inserted_[s] && x.name.starts_with(".cfi_") && x.name != ".cfi_personality") rules.push_back(s);
    if (inserted_[s] && x.name == ".cfi_personality") personalities.push_back(s);
    bool code_label = x.kind == StatementKind::label && text_.sections[x.section].executable;
    if (code_label && x.name.starts_with(".L") && !x.name.starts_with(".Lchord_")) labels.push_back(s);
    if (code_label && x.name.starts_with(".Lchord_m")) marks.push_back(s);
  }
  for (uint32_t s = tail_; s < text_.statements.size(); ++s) {
    if (text_.sections[at(s).section].name == "chord_procs" && at(s).name == ".long" && at(s).operands.find("tpoff") == std::string_view::npos) {
      // Records of events say nothing about this unit.
      bool event = at(s).operands.ends_with(", 3") || at(s).operands.starts_with("0,");
      if (!event) records.push_back(s);
    }
  }
}

void Subject::probe(uint32_t s, const Statement &x) {
  if (x.name == "nopl") return;
  probes.push_back(s);
  bool memory = x.operands.find('(') != std::string_view::npos || x.operands.find("%fs:") != std::string_view::npos;
  bool own = x.operands.find("(%rsp)") != std::string_view::npos || x.operands.find("(%rbp)") != std::string_view::npos;
  bool adds = x.name == "incq" || x.name == "decq" || x.name == "addq" || x.name == "subq" || x.name == "lock";
  if (adds && memory && !own) counts.push_back(s);
  if (x.name == "lock") locks.push_back(s);
  if (x.name == "popq") pops.push_back(s);
  uint32_t next = next_code(s);
  if (x.name == "popq" && next != kNowhere && inserted_[next] && at(next).name == "popq" && x.operands != at(next).operands) pop_pairs.push_back(s);
  if (own && x.name != "leaq") stack_words.push_back(s);
  if (x.name == "leaq" && x.operands.ends_with("(%rsp),%rsp")) stack_moves.push_back(s);
  if (x.name == "leaq" && x.operands.starts_with("-128(%rsp)")) lowered.push_back(s);
  if (x.name == "je" || x.name == "jne" || x.name == "js") conditions.push_back(s);
  // The last of its chunk: what follows is the program's.
  if (next != kNowhere && !inserted_[next] && instruction(next) && x.name != "jmp") ends.push_back(s);
}

}  // namespace chord::mutation
