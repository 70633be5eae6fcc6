#include "mutation/wanted.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "isa/conventions.h"

namespace chord::mutation {

using assembly::Statement;

namespace {

constexpr isa::Resources kCarryFlag = isa::Resources{1} << 48, kOverflowFlag = isa::Resources{1} << 53;

isa::Resources resource_named(const std::string &name) {
  if (name == "carry") return kCarryFlag;
  if (name == "overflow") return kOverflowFlag;
  if (name == "flags") return isa::all_flags() & ~(kCarryFlag | kOverflowFlag);
  if (name.starts_with("xmm")) return isa::Resources{1} << (16 + std::stoul(name.substr(3)));
  for (unsigned r = 0; r < 16; ++r) {
    if (name == kWhole[r] && name != "rsp") return isa::register_numbered(r);
  }
  return 0;  // memory, the stack pointer
}

uint32_t block_of(const assembly::Procedure &p, uint32_t instruction) {
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    if (instruction - p.blocks[b].first < p.blocks[b].count) return b;
  }
  return kNowhere;
}

// Vertices that edges lead to from this one on, itself only if in a circle; those of tables if `by_tables`.
template <class Procedure>
std::vector<bool> reached_from(const Procedure &p, uint32_t vertex, bool by_tables = true) {
  std::vector<bool> reached(p.blocks.size(), false);
  std::vector<uint32_t> waiting = {vertex};
  while (!waiting.empty()) {
    uint32_t b = waiting.back();
    waiting.pop_back();
    for (size_t e = 1; e < p.edges.size(); ++e) {  // edge 0 leads back to the entry
      const uint32_t to = p.edges[e].to;
      if (p.edges[e].from != b || p.edges[e].kind == decltype(p.edges[e].kind)::never || reached[to]) continue;
      if (!by_tables && p.edges[e].kind == decltype(p.edges[e].kind)::dispatch) continue;
      reached[to] = true;
      waiting.push_back(to);
    }
  }
  return reached;
}

// Some instruction names a table, or code other than to jump there.
bool reads_tables(const Subject &s) {
  std::set<std::string_view> tables;
  std::string_view last;
  for (uint32_t k = 0; k < s.tail(); ++k) {
    if (s.at(k).kind == assembly::StatementKind::label) last = s.at(k).name;
    else if (!s.is_code(k) && !s.is_inserted(k) && !assembly::symbols_in(s.at(k).operands).empty()) tables.insert(last);
  }
  for (uint32_t k = 0; k < s.tail(); ++k) {
    if (!s.is_code(k) || s.is_inserted(k)) continue;
    const bool jumps = s.at(k).name.starts_with('j') && s.label(s.at(k).operands) != kNowhere;
    for (std::string_view name : assembly::symbols_in(s.at(k).operands)) {
      if (!jumps && (tables.contains(name) || name.starts_with(".L"))) return true;
    }
  }
  return false;
}

// The procedure has given a register or flag a value of its own on every way from its entry to the instruction, which is not one
// that may have been put back.
class OwnValue {
 public:
  OwnValue(const assembly::Procedure &p, isa::Resources what) : p_(p), what_(what), own_(p.blocks.size(), true) {
    own_[0] = false;
    for (bool more = true; more;) {
      more = false;
      for (const assembly::Edge &e : p.edges) {
        if (!own_[e.to] || e.kind == assembly::EdgeKind::never || e.to == 0 || leaves(e.from)) continue;
        own_[e.to] = false;
        more = true;
      }
    }
  }

  bool in_front_of(uint32_t instruction) const {
    uint32_t b = block_of(p_, instruction);
    return b != kNowhere && through(p_.blocks[b].first, instruction, own_[b]);
  }

 private:
  bool leaves(uint32_t b) const { return through(p_.blocks[b].first, p_.blocks[b].first + p_.blocks[b].count, own_[b]); }

  bool through(uint32_t from, uint32_t to, bool own) const {
    for (uint32_t i = from; i < to; ++i) {
      const isa::Decoded &d = p_.instructions[i].decoded;
      if (!(d.writes & what_)) continue;
      own = (d.kills & what_) == what_ && !isa::may_restore(d) && d.flow == isa::Flow::next && !d.unknown_effects;
    }
    return own;
  }

  const assembly::Procedure &p_;
  isa::Resources what_;
  std::vector<bool> own_;  // by vertex, where it begins
};

// Some way from the instruction leads to a read, a call that may read it, or a return that somebody waits for, before a write.
class Search {
 public:
  Search(const assembly::Procedure &p, isa::Resources what, bool is_called) : p_(p), what_(what), is_called_(is_called), seen_(p.instructions.size(), false) {
    bool usual = p.convention.compiled && !p.convention.unusual;
    read_by_calls_ = usual ? isa::call_reads() | isa::callee_saved() : ~isa::Resources{0};
  }

  bool from(uint32_t i) {
    std::vector<uint32_t> waiting = {i};
    while (!waiting.empty()) {
      i = waiting.back();
      waiting.pop_back();
      if (seen_[i]) continue;
      seen_[i] = true;
      const isa::Decoded &d = p_.instructions[i].decoded;
      if (((d.reads & what_) && d.flow != isa::Flow::leave) || d.unknown_effects) return true;
      if (d.flow == isa::Flow::call && (read_by_calls_ & what_)) return true;
      if (d.flow == isa::Flow::leave && is_called_) return true;
      if ((d.kills & what_) == what_) continue;
      if (!follow(i, waiting)) return true;
    }
    return false;
  }

 private:
  // False if the procedure is left.
  bool follow(uint32_t i, std::vector<uint32_t> &waiting) const {
    uint32_t b = block_of(p_, i);
    if (b == kNowhere) return false;
    if (i + 1 == p_.blocks[b].first + p_.blocks[b].count) return leave(b, waiting);
    waiting.push_back(i + 1);
    return true;
  }

  bool leave(uint32_t b, std::vector<uint32_t> &waiting) const {
    for (const assembly::Edge &e : p_.edges) {
      if (e.from != b || e.kind == assembly::EdgeKind::never) continue;
      if (e.to == 1 && e.kind == assembly::EdgeKind::leave && !is_called_) continue;
      if (e.to <= 1) return false;
      if (p_.blocks[e.to].count != 0) {
        waiting.push_back(p_.blocks[e.to].first);
      } else if (!leave(e.to, waiting)) {
        return false;
      }
    }
    return true;
  }

  const assembly::Procedure &p_;
  isa::Resources what_, read_by_calls_;
  bool is_called_;  // somebody may wait for its return
  std::vector<bool> seen_;
};

// Other files can, or something in this one names it.
bool is_called(const Subject &s, const assembly::Procedure &p) {
  if (p.global) return true;
  for (const Statement &x : s.woven_case().source.statements) {
    if (x.name == ".type" || x.name == ".size" || x.name == ".globl") continue;
    std::vector<std::string_view> names = assembly::symbols_in(x.operands);
    if (std::find(names.begin(), names.end(), p.name) != names.end()) return true;
  }
  return false;
}

// In text of gcc: it knows no convention that returns anything but in these, or in flags.
bool can_be_result(const Subject &s, isa::Resources what) {
  auto by_gcc = [](const Statement &x) { return x.name == ".ident" && x.operands.starts_with("\"GCC:"); };
  const std::vector<Statement> &text = s.woven_case().source.statements;
  if (std::none_of(text.begin(), text.end(), by_gcc)) return true;
  constexpr isa::Resources kFirstVectors = isa::Resources{3} << 16;
  return what & (isa::register_numbered(0) | isa::register_numbered(2) | kFirstVectors | isa::all_flags());
}

// A word of the widened frame that inserted code never reads but where it has written it just before. Only where the program does
// not move the stack pointer, so that the word has one name.
bool is_scratch(const Subject &s, const assembly::Procedure &p, const std::string &word) {
  for (const assembly::Instruction &in : p.instructions) {
    if (in.decoded.writes & isa::register_numbered(isa::kStackPointer)) return false;
  }
  bool written = false;
  for (uint32_t k = 0; k < s.tail(); ++k) {
    if (!s.is_code(k)) continue;
    if (!s.is_inserted(k)) written = false;
    std::string_view operands = s.at(k).operands;
    size_t at = operands.find(word);
    while (at != std::string_view::npos && at > 0 && (std::isdigit(static_cast<unsigned char>(operands[at - 1])) || operands[at - 1] == '-')) at = operands.find(word, at + 1);
    if (!s.is_inserted(k) || at == std::string_view::npos) continue;
    bool store = s.at(k).name == "movq" && operands.ends_with("," + word);
    if (!store && !written) return false;
    written = true;
  }
  return true;
}

// How far the stack pointer is below where it was at the entry, say the program's unwind rules; kNowhere: it is not counted from there.
int64_t depth_at(const Subject &s, uint32_t statement) {
  constexpr int64_t kUnknown = -1;
  int64_t depth = kUnknown;
  std::vector<int64_t> remembered;
  for (uint32_t k = 0; k < statement; ++k) {
    const Statement &x = s.at(k);
    if (x.section != s.at(statement).section) continue;
    auto offset = [&](std::string_view text) { return std::stoll(std::string(assembly::trim(text))); };
    if (x.name == ".cfi_startproc") depth = 8;
    else if (x.name == ".cfi_def_cfa_offset") depth = offset(x.operands);
    else if (x.name == ".cfi_adjust_cfa_offset" && depth != kUnknown) depth += offset(x.operands);
    else if (x.name == ".cfi_def_cfa" || x.name == ".cfi_def_cfa_register") depth = kUnknown;
    else if (x.name == ".cfi_remember_state") remembered.push_back(depth);
    else if (x.name == ".cfi_restore_state" && !remembered.empty()) depth = remembered.back(), remembered.pop_back();
  }
  return depth;
}

// One of the two words at the top of a wider frame, where chosen paths are counted, and no inserted code that follows, also where
// exceptions land, does more than write them: the runtime does not look at such words (partial paths are none of the chosen ones).
bool is_done_with(const Subject &s, uint32_t statement, const std::string &word) {
  auto [n, i] = *s.instruction(statement);
  const assembly::Procedure &p = s.woven_case().unit.procedures[n];
  bool chosen = false;
  for (const format::Procedure &m : s.woven_case().woven.map.procedures) {
    chosen = chosen || (m.name == p.name && m.plan.placement == core::Placement::chosen_paths);
  }
  uint32_t first = s.next_code(s.label(p.name));
  while (first != kNowhere && s.at(first).name == "endbr64") first = s.next_code(first);
  if (!chosen || first == kNowhere || !s.is_inserted(first) || s.words(first) != "leaq\t-16(%rsp),%rsp") return false;
  int64_t depth = depth_at(s, statement), place = std::stoll("0" + word.substr(0, word.find('(')));
  if (depth < 0 || (place != depth - 16 && place != depth - 24)) return false;
  std::vector<bool> after = reached_from(p, block_of(p, i));
  for (const assembly::Edge &e : p.edges) {
    if (e.from != 0 || e.kind != assembly::EdgeKind::landing) continue;
    std::vector<bool> there = reached_from(p, e.to);
    for (size_t b = 0; b < after.size(); ++b) after[b] = after[b] || there[b] || b == e.to;
  }
  for (uint32_t k = 0; k < s.tail(); ++k) {
    bool writes = s.at(k).name == "movq" && s.at(k).operands.starts_with('$');
    auto there = !writes && s.is_code(k) && s.is_inserted(k) && s.leads_to(k) != kNowhere ? s.instruction(s.leads_to(k)) : std::nullopt;
    if (!there || there->first != n) continue;
    uint32_t b = block_of(p, there->second);
    bool later_here = b == block_of(p, i) && there->second > i;
    if (b == kNowhere || after[b] || later_here) return false;
  }
  return true;
}

// Spreads what is executed along the woven text.
class Execution {
 public:
  explicit Execution(const Subject &s) : s_(s), out_(s.size(), false) {
    for (uint32_t k = 0; k < s.tail(); ++k) {
      const Statement &x = s.at(k);
      if (x.kind == assembly::StatementKind::label && !x.name.starts_with(".L")) from_outside(s.next_code(k));
      if (!s.is_code(k)) {
        if (s.is_inserted(k) || x.kind == assembly::StatementKind::label) continue;
        for (std::string_view name : assembly::symbols_in(x.operands)) from_outside(code_at(name));
        continue;
      }
      if (!s.is_inserted(k) && !is_unreached(s, k)) arrive(k);
    }
    spread();
  }

  std::vector<bool> result() { return std::move(out_); }

 private:
  uint32_t code_at(std::string_view name) const {
    uint32_t label = s_.label(name);
    return label == kNowhere || label >= s_.tail() ? kNowhere : s_.next_code(label);
  }

  // Tables, landings and callers lead to code of the program, if the graph says so.
  void from_outside(uint32_t k) {
    if (k != kNowhere && !is_unreached(s_, s_.leads_to(k))) arrive(k);
  }

  void arrive(uint32_t k) {
    if (k == kNowhere || out_[k]) return;
    out_[k] = true;
    waiting_.push_back(k);
  }

  void spread() {
    while (!waiting_.empty()) {
      uint32_t k = waiting_.back();
      waiting_.pop_back();
      const Statement &x = s_.at(k);
      bool own = !s_.is_inserted(k) && s_.instruction(k);
      bool ends = own ? s_.decoded(k).flow == isa::Flow::jump || s_.decoded(k).flow == isa::Flow::leave : x.name == "jmp" || x.name.starts_with("ret");
      // The runtime goes on at labels that it is told.
      const bool tells = s_.is_inserted(k) && x.name != "call";
      if (x.name.starts_with('j')) arrive_inserted(code_at(x.operands));
      else if (tells) for (std::string_view name : assembly::symbols_in(x.operands)) arrive_inserted(code_at(name));
      if (!ends) arrive_inserted(s_.next_code(k));
    }
  }

  // Where the program's own code is executed, the graph has said.
  void arrive_inserted(uint32_t k) {
    if (k != kNowhere && (s_.is_inserted(k) || !s_.instruction(k))) arrive(k);
  }

  const Subject &s_;
  std::vector<bool> out_;
  std::vector<uint32_t> waiting_;
};

}  // namespace

std::vector<bool> executed_statements(const Subject &s) { return Execution(s).result(); }

bool is_wanted(const Subject &s, uint32_t statement, const std::string &name) {
  isa::Resources what = resource_named(name);
  auto place = statement == kNowhere ? std::nullopt : s.instruction(statement);
  if (place && name.ends_with("(%rsp)")) {
    return !is_scratch(s, s.woven_case().unit.procedures[place->first], name) && !is_done_with(s, statement, name);
  }
  if (what == 0 || !place) return true;
  auto [p, i] = *place;
  for (unsigned r : s.kept(p, i)) {
    if (what == isa::register_numbered(r)) return true;
  }
  const assembly::Procedure &procedure = s.woven_case().unit.procedures[p];
  bool always = what & isa::callee_saved();
  for (const assembly::Instruction &in : procedure.instructions) always = always && !(in.decoded.writes & what);
  if (always) return true;  // the unwinder's
  if (!(s.liveness(p).before[i] & what)) return false;
  bool usual = procedure.convention.compiled && !procedure.convention.unusual;
  bool own = usual && !can_be_result(s, what) && OwnValue(procedure, what).in_front_of(i);
  return Search(procedure, what, is_called(s, procedure) && !own).from(i);
}

bool is_unreached(const Subject &s, uint32_t statement) {
  auto place = statement == kNowhere ? std::nullopt : s.instruction(statement);
  if (!place) return false;
  const assembly::Procedure &p = s.woven_case().unit.procedures[place->first];
  uint32_t b = block_of(p, place->second);
  return b != kNowhere && !reached_from(p, 0, reads_tables(s))[b];
}

bool is_unreached(const format::Procedure &p, uint32_t vertex) { return vertex > 1 && !reached_from(p, 0)[vertex]; }

}  // namespace chord::mutation
