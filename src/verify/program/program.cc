#include "verify/program/program.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "verify/program/unwind.h"

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

namespace {

uint64_t place(uint32_t section, uint32_t offset) { return uint64_t{section} << 32 | offset; }

bool is_data(const Statement &s) {
  static constexpr std::array<std::string_view, 14> kNames = {".quad", ".long", ".int",    ".8byte", ".4byte", ".2byte",   ".byte",
                                                              ".word", ".value", ".short", ".hword", ".octa",  ".uleb128", ".sleb128"};
  return s.kind == StatementKind::directive && std::find(kNames.begin(), kNames.end(), s.name) != kNames.end();
}

// The symbol of a branch operand if it is nothing but that.
std::string_view plain_target(std::string_view operands) {
  std::string_view symbol = assembly::first_symbol(operands), text = assembly::trim(operands);
  if (text.starts_with("short ")) text = assembly::trim(text.substr(6));
  if (text == symbol) return symbol;
  size_t at = text.find('@');
  return at != std::string_view::npos && text.substr(0, at) == symbol ? symbol : std::string_view{};
}

}  // namespace

bool is_numeric_label(std::string_view name) {
  return name.size() >= 2 && (name.back() == 'f' || name.back() == 'b') &&
         std::all_of(name.begin(), name.end() - 1, [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
}

uint32_t numeric_target(const std::vector<uint32_t> &places, bool forward, uint32_t from) {
  auto above = std::upper_bound(places.begin(), places.end(), from);
  if (forward) return above == places.end() ? kNone : *above;
  return above == places.begin() ? kNone : *std::prev(above);
}

Program::Program(const assembly::Source &source, const assembly::Layout &layout, const format::UnitMap &map)
    : source_(source), layout_(layout) {
  index_labels(map);
  decode();
  join_functions(map);
  follow();
  find_mentions();
  find_known_callers();
  find_dead_ends();
}

void Program::index_labels(const format::UnitMap &map) {
  std::unordered_map<std::string_view, bool> typed;
  for (const Statement &s : source_.statements) {
    if (s.name == ".type" && s.operands.find("function") != std::string_view::npos) {
      typed[assembly::trim(s.operands.substr(0, s.operands.find(',')))] = true;
    }
    if (auto alias = assembly::alias_in(s)) alias_[alias->name] = alias->of;
  }
  for (const format::Procedure &p : map.procedures) {
    for (const format::Fragment &f : p.fragments) typed[f.name] = true;
  }
  for (uint32_t s = 0; s < source_.statements.size(); ++s) {
    const Statement &x = source_.statements[s];
    if (x.kind != StatementKind::label) continue;
    if (std::isdigit(static_cast<unsigned char>(x.name[0]))) {
      numeric_[x.name].push_back(s);
      continue;
    }
    labels_.emplace(x.name, s);
    if (!typed.contains(x.name) || !source_.sections[x.section].executable) continue;
    function_at_[s] = static_cast<uint32_t>(functions_.size());
    function_named_[x.name] = static_cast<uint32_t>(functions_.size());
    functions_.emplace_back().name = x.name;
  }
  for (const Statement &s : source_.statements) {
    if (s.name != ".globl" && s.name != ".global" && s.name != ".weak") continue;
    for (std::string_view name : assembly::split_operands(s.operands)) {
      while (alias_.contains(name)) name = alias_[name];
      if (auto f = function_named_.find(name); f != function_named_.end()) functions_[f->second].global = true;
    }
  }
}

void Program::decode() {
  std::vector<std::vector<uint32_t>> by_section(source_.sections.size());
  for (uint32_t s = 0; s < source_.statements.size(); ++s) {
    uint32_t section = source_.statements[s].section;
    if (source_.sections[section].executable) by_section[section].push_back(s);
  }
  at_or_behind_.assign(source_.statements.size(), kNone);
  for (uint32_t section = 0; section < by_section.size(); ++section) decode_section(section, by_section[section]);
}

void Program::add(uint32_t first, uint32_t last, uint32_t offset, const Facts &facts) {
  Instr &in = instrs_.emplace_back();
  in.facts = facts;
  wide_ = wide_ || facts.wide;
  in.first = first;
  in.last = last;
  in.offset = offset;
  by_place_[place(source_.statements[first].section, offset)] = static_cast<uint32_t>(instrs_.size() - 1);
}

void Program::decode_section(uint32_t section, const std::vector<uint32_t> &statements) {
  uint32_t function = kNone;
  size_t start = instrs_.size();
  std::string_view contents = layout_.contents[section];
  uint32_t padding = 0;
  for (size_t k = 0; k < statements.size(); ++k) {
    uint32_t s = statements[k];
    if (auto f = function_at_.find(s); f != function_at_.end()) function = f->second;
    const auto &[begin, end] = layout_.places[s];
    if (begin == end) continue;
    if (assembly::is_alignment(source_.statements[s])) {
      for (uint32_t at = begin; at < end; ++padding) {
        std::optional<Facts> facts = facts_of(contents.substr(at, end - at));
        uint32_t size = facts ? facts->size : end - at;
        padding_[place(section, at)] = size;
        at += size;
      }
      continue;
    }
    for (uint32_t at = begin; at < end;) {
      std::optional<Facts> facts = facts_of(contents.substr(at));
      if (!facts) {
        facts.emplace();
        facts->unknown = true;
        facts->reads = kEverything;
        facts->size = static_cast<uint8_t>(std::min<uint32_t>(end - at, 255));
      }
      // A prefix may be a statement of its own.
      uint32_t last = s;
      while (at + facts->size > layout_.places[last].end && k + 1 < statements.size()) last = statements[++k];
      add(s, last, at, *facts);
      instrs_.back().function = function;
      instrs_.back().padding = padding;
      padding = 0;
      at += facts->size;
    }
  }
  for (size_t i = start; i + 1 < instrs_.size(); ++i) instrs_[i].next = static_cast<uint32_t>(i + 1);
  uint32_t behind = kNone;
  size_t i = instrs_.size();
  for (size_t k = statements.size(); k-- > 0;) {
    while (i > start && instrs_[i - 1].first >= statements[k]) behind = static_cast<uint32_t>(--i);
    at_or_behind_[statements[k]] = behind;
  }
}

// Cold parts belong to the function that they were taken from.
void Program::join_functions(const format::UnitMap &map) {
  std::vector<uint32_t> joined(functions_.size());
  for (uint32_t f = 0; f < functions_.size(); ++f) {
    joined[f] = f;
    size_t cold = functions_[f].name.find(".cold");
    if (cold == std::string_view::npos) continue;
    if (uint32_t whole = function_named(functions_[f].name.substr(0, cold)); whole != kNone) joined[f] = whole;
  }
  for (const format::Procedure &p : map.procedures) {
    uint32_t whole = p.fragments.empty() ? kNone : function_named(p.fragments[0].name);
    for (const format::Fragment &part : p.fragments) {
      if (uint32_t f = function_named(part.name); f != kNone && whole != kNone) joined[f] = whole;
    }
  }
  for (uint32_t i = 0; i < instrs_.size(); ++i) {
    Instr &in = instrs_[i];
    if (in.function == kNone) continue;
    in.function = joined[in.function];
    functions_[in.function].instructions.push_back(i);
  }
  for (auto &[name, f] : function_named_) f = joined[f];
  for (auto &[s, f] : function_at_) {
    if (joined[f] == f) functions_[f].entry = at_or_behind_[s];
  }
}

uint32_t Program::label(std::string_view name, uint32_t from) const {
  if (is_numeric_label(name)) {
    auto places = numeric_.find(name.substr(0, name.size() - 1));
    return places == numeric_.end() ? kNone : numeric_target(places->second, name.back() == 'f', from);
  }
  for (int depth = 0; depth < 8; ++depth) {
    if (auto found = labels_.find(name); found != labels_.end()) return found->second;
    auto alias = alias_.find(name);
    if (alias == alias_.end()) break;
    name = alias->second;
  }
  return kNone;
}

uint32_t Program::instr_at(uint32_t section, uint32_t offset) const {
  auto found = by_place_.find(place(section, offset));
  return found == by_place_.end() ? kNone : found->second;
}

std::string_view Program::bytes(uint32_t i) const {
  const Instr &in = instrs_[i];
  return std::string_view(layout_.contents[source_.statements[in.first].section]).substr(in.offset, in.facts.size);
}

bool Program::is_padding(uint32_t section, uint32_t offset, uint32_t size) const {
  auto found = padding_.find(place(section, offset));
  return found != padding_.end() && found->second == size;
}

uint32_t Program::padding_from(uint32_t label, uint32_t i) const {
  uint32_t section = source_.statements[label].section, count = 0;
  if (section != source_.statements[instrs_[i].first].section || at_or_behind_[label] != i) return 0;
  std::string_view contents = layout_.contents[section];
  for (uint32_t at = layout_.places[label].begin; at < instrs_[i].offset; ++count) {
    std::optional<Facts> facts = facts_of(contents.substr(at, instrs_[i].offset - at));
    at += facts ? facts->size : instrs_[i].offset - at;
  }
  return count;
}

uint32_t Program::function_named(std::string_view name) const {
  auto found = function_named_.find(name);
  return found == function_named_.end() ? kNone : found->second;
}

void Program::follow() {
  for (uint32_t i = 0; i < instrs_.size(); ++i) {
    Instr &in = instrs_[i];
    bool goes = in.facts.flow == Flow::jump || in.facts.flow == Flow::conditional || in.facts.flow == Flow::call;
    if (!goes || in.facts.indirect) continue;
    in.callee = plain_target(source_.statements[in.last].operands);
    if (in.callee.empty()) continue;
    uint32_t at = label(in.callee, in.last);
    if (at == kNone || !source_.sections[source_.statements[at].section].executable) continue;
    in.target = at_or_behind_[at];
    uint32_t f = in.target == kNone ? kNone : instrs_[in.target].function;
    bool starts = f != kNone && functions_[f].entry == in.target;
    in.to_end = starts && f != in.function && !belongs(at, f);
    // A jump to the name of its own function is a call in the place of a return.
    auto named = function_at_.find(at);
    bool anew = in.facts.flow != Flow::call && named != function_at_.end() && f == in.function && starts;
    if (starts && (in.facts.flow == Flow::call || in.function != f || anew)) functions_[f].callers.push_back(i);
    if (anew) in.target = kNone;
  }
}

// The label stands at or after the function's own.
bool Program::belongs(uint32_t label, uint32_t f) const { return label >= this->label(functions_[f].name, 0); }

void Program::mention(uint32_t s, uint32_t operand, std::string_view name, const CallRegion *lands, uint32_t table) {
  uint32_t at = label(name, s);
  if (at == kNone || !source_.sections[source_.statements[at].section].executable) return;
  uint32_t i = at_or_behind_[at];
  if (i == kNone || instrs_[i].function == kNone) return;
  Function &f = functions_[instrs_[i].function];
  if (function_at_.contains(at) || f.entry == i) {
    f.address_taken = true;
    f.address_loaded = f.address_loaded || table == kNone;
  }
  if (function_at_.contains(at)) return;
  if (lands != nullptr) f.regions.push_back(*lands);
  (lands != nullptr ? f.landings : f.named).push_back(i);
  mentions_.push_back({s, operand, at, i, lands != nullptr, table});
}

// The label that a field of a record begins with.
uint32_t Program::label_in(uint32_t s) const {
  std::string_view symbol = assembly::first_symbol(source_.statements[s].operands);
  return symbol.empty() ? kNone : label(symbol, s);
}

// Nobody outside can name the function, nobody here takes its address, and no code runs into it.
void Program::find_known_callers() {
  static constexpr std::array<std::string_view, 14> kOnlyTalk = {".type", ".size", ".local", ".hidden", ".internal", ".protected", ".section",
                                                                ".file", ".loc", ".ident", ".string", ".ascii", ".asciz", ".set"};
  std::vector<bool> named(functions_.size(), false);
  for (const Statement &s : source_.statements) {
    bool talks = s.kind != StatementKind::directive || is_data(s) || s.name.starts_with(".cfi_") || source_.sections[s.section].debug ||
                 std::find(kOnlyTalk.begin(), kOnlyTalk.end(), s.name) != kOnlyTalk.end();
    if (talks) continue;
    for (std::string_view name : assembly::symbols_in(s.operands)) {
      if (auto f = function_named_.find(name); f != function_named_.end()) named[f->second] = true;
    }
  }
  for (uint32_t f = 0; f < functions_.size(); ++f) {
    Function &x = functions_[f];
    bool runs_in = x.entry != kNone && x.entry > 0 && instrs_[x.entry - 1].next == x.entry &&
                   (instrs_[x.entry - 1].facts.flow == Flow::next || instrs_[x.entry - 1].facts.flow == Flow::conditional);
    x.callers_known = !x.global && !x.address_taken && !named[f] && !runs_in && x.entry != kNone;
  }
}

void Program::find_dead_ends() {
  UnwindTable rules(source_);
  for (Instr &in : instrs_) {
    if (in.facts.flow != Flow::call || in.next == kNone) continue;
    const Rules &here = rules.before(in.first), &next = rules.before(instrs_[in.next].first);
    in.dead_end = here.active && next.active && (here.base != next.base || here.offset != next.offset);
  }
}

void Program::find_mentions() {
  int field = -1;  // of a call-site record
  CallRegion region;
  std::vector<uint32_t> last_label(source_.sections.size(), kNone);
  for (uint32_t s = 0; s < source_.statements.size(); ++s) {
    const Statement &x = source_.statements[s];
    const assembly::Section &section = source_.sections[x.section];
    if (section.debug) continue;
    if (x.kind == StatementKind::label) last_label[x.section] = s;
    bool table = section.name.starts_with(".gcc_except_table");
    if (table && x.kind == StatementKind::label) {
      bool begins = x.name.starts_with(".LLSDACSB") || x.name.starts_with(".Lcst_begin");
      field = begins ? 0 : -1;
    }
    if (is_data(x)) {
      bool in_record = table && field >= 0;
      bool landing = in_record && field % 4 == 2;
      if (in_record && field % 4 == 0) region = {label_in(s), kNone};
      if (in_record && field % 4 == 1) region.to = label_in(s);
      if (region.from == kNone) region = {};  // a place that is not known: all calls
      if (in_record) ++field;
      if (in_record && !landing) continue;
      std::vector<std::string_view> operands = assembly::split_operands(x.operands);
      for (uint32_t k = 0; k < operands.size(); ++k) {
        if (std::string_view symbol = assembly::first_symbol(operands[k]); !symbol.empty()) mention(s, k, symbol, landing ? &region : nullptr, last_label[x.section]);
      }
    } else if (x.kind == StatementKind::instruction && section.executable) {
      uint32_t i = at_or_behind_[s];
      bool branches = i != kNone && instrs_[i].first <= s && s <= instrs_[i].last && !instrs_[i].callee.empty();
      if (branches) continue;
      std::vector<std::string_view> operands = assembly::split_operands(x.operands);
      for (uint32_t k = 0; k < operands.size(); ++k) {
        for (std::string_view symbol : assembly::symbols_in(operands[k])) mention(s, k, symbol, nullptr, kNone);
      }
    }
  }
}

}  // namespace chord::verify
