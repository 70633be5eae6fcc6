#include "mutation/equivalence.h"

#include <algorithm>
#include <optional>

#include "mutation/same_effect.h"
#include "mutation/wanted.h"

namespace chord::mutation {

using assembly::Statement;
using assembly::StatementKind;

namespace {

// ---- straight inserted code ----

struct Chunk {
  uint32_t first = 0, last = 0;  // statements
  uint32_t leads_to = kNowhere;  // statement of the original; kNowhere: to a place where all may be wanted
};

// Around inserted code at `s`, from where control can come in to where it can go another way.
Chunk chunk_around(const Subject &s, uint32_t at) {
  auto is_boundary = [&](uint32_t k) { return s.at(k).kind == StatementKind::label && s.is_jumped_to(s.at(k).name); };
  Chunk out{at, at, kNowhere};
  for (uint32_t k = at; k-- > 0;) {
    if (s.at(k).section != s.at(at).section) continue;
    if (is_boundary(k) || (s.is_code(k) && (!s.is_inserted(k) || s.at(k).name == "jmp"))) break;
    if (s.is_code(k)) out.first = k;
  }
  uint32_t k = at;
  for (; k < s.tail(); ++k) {
    if (s.at(k).section != s.at(at).section) continue;
    if (s.is_code(k) && (!s.is_inserted(k) || s.at(k).name == "jmp")) break;
    if (s.is_code(k)) out.last = k;
  }
  if (k != s.tail()) out.leads_to = s.leads_to(k);
  return out;
}

std::optional<StraightCode> execute(std::string text, const std::set<std::string> &unread = {}) {
  assembly::Source source;
  read_source(std::move(text), source);
  StraightCode code(unread);
  for (const Statement &s : source.statements) {
    if (s.kind == StatementKind::instruction && !code.run(s)) return std::nullopt;
  }
  return code;
}

bool is_call_or_end(const Subject &s, uint32_t statement) {
  if (statement != kNowhere && s.is_call(statement)) return true;
  if (statement == kNowhere || s.is_inserted(statement) || !s.instruction(statement)) return false;
  const isa::Decoded &d = s.decoded(statement);
  bool jumps_out = d.flow == isa::Flow::jump && !d.indirect && s.label(s.at(statement).operands) == kNowhere;
  return d.flow == isa::Flow::call || d.flow == isa::Flow::leave || jumps_out;
}

// With nothing of the program's but its mark between a procedure's name and here.
bool is_at_entry(const Subject &s, uint32_t statement) {
  for (uint32_t k = statement; k-- > 0;) {
    if (s.at(k).section != s.at(statement).section) continue;
    if (s.is_code(k) && !s.is_inserted(k) && s.at(k).name != "endbr64") return false;
    if (s.at(k).kind == StatementKind::label && !s.at(k).name.starts_with(".L")) return true;
  }
  return false;
}

// Code out of line that an inserted jump leads to, with nothing but inserted code between a call of the program, or the entry, and the jump.
bool comes_from_call(const Subject &s, uint32_t first) {
  for (uint32_t k = first; k-- > 0 && s.at(k).kind == StatementKind::label;) {
    for (uint32_t jump = 0; jump < s.tail(); ++jump) {
      bool leads = s.is_code(jump) && s.is_inserted(jump) && s.at(jump).name.starts_with('j') && s.at(jump).operands == s.at(k).name;
      if (!leads) continue;
      if (is_at_entry(s, jump)) return true;
      uint32_t own = s.previous_code(jump);
      for (; own != kNowhere && s.is_inserted(own); own = s.previous_code(own)) {
        if (s.at(own).name == "leaq" && s.at(own).operands == "-128(%rsp),%rsp") return true;  // beyond the red zone already
        if (s.at(own).name == "leaq" && s.at(own).operands.ends_with(",%rsp")) return false;
      }
      return own != kNowhere && s.is_call(own);
    }
  }
  return false;
}

// There is no red zone here: next to the entry, a call, or what leaves the procedure.
bool has_no_red_zone(const Subject &s, const Chunk &chunk) {
  if (is_call_or_end(s, chunk.leads_to)) return true;
  uint32_t before = s.previous_code(chunk.first), own = before;
  while (own != kNowhere && s.is_inserted(own)) own = s.previous_code(own);
  auto here = own == kNowhere ? std::nullopt : s.instruction(own);
  auto there = chunk.leads_to == kNowhere ? std::nullopt : s.instruction(chunk.leads_to);
  if (here && (!there || here->first != there->first)) return true;  // to where the procedure ends
  if (before != kNowhere && s.is_call(before)) return true;
  if (comes_from_call(s, chunk.first)) return true;
  for (uint32_t k = chunk.first; k-- > 0;) {
    if (s.at(k).section != s.at(chunk.first).section) continue;
    if (s.is_code(k)) return s.at(k).name == "endbr64" && !s.is_inserted(k);
    if (s.at(k).kind == StatementKind::label && !s.at(k).name.starts_with(".L")) return true;
  }
  return false;
}

// The code that an inserted jump leads over, and what is behind it: executed on both ways.
std::string by_both_ways(const Subject &s, const Chunk &chunk, const std::vector<Edit> &edits) {
  uint32_t label = chunk.first;
  while (label-- > 0 && s.at(label).kind != StatementKind::label && !s.is_code(label)) {
  }
  if (label == kNowhere || s.at(label).kind != StatementKind::label) return "";
  uint32_t jump = label;
  while (jump-- > 0 && !(s.is_code(jump) && s.at(jump).name == "je" && s.at(jump).operands == s.at(label).name)) {
    if (s.is_code(jump) && !s.is_inserted(jump)) return "";
  }
  if (jump == kNowhere || s.at(jump).section != s.at(label).section) return "";
  std::string before = s.text().substr(s.at(chunk_around(s, jump).first).begin, s.at(jump).begin - s.at(chunk_around(s, jump).first).begin);
  std::string over = s.text().substr(s.at(jump).end, s.at(label).begin - s.at(jump).end);
  uint32_t begin = s.at(chunk.first).begin;
  std::string text = s.text().substr(begin, s.at(chunk.last).end - begin);
  std::vector<verify::TextRange> none;
  std::string changed = apply(text, edits, none);
  for (const std::string &way : {before + "\n", before + over + "\n"}) {
    auto one = execute(way + text), other = execute(way + changed);
    if (!one || !other || !one->differences(*other).empty()) return "";
  }
  return "same";
}

// Inserted code at the label, up to its last jump, names the register, or the program's code that it falls into wants it.
bool is_mentioned(const Subject &s, const std::string &label, const std::string &reg) {
  unsigned number = 0;
  while (number < 16 && reg != kWhole[number]) ++number;
  if (number == 16) return true;
  const std::string stem = number < 8 ? reg.substr(1) : reg;  // in every width: %eax, %r9b
  for (uint32_t k = s.label(label); k != kNowhere; k = s.next_code(k)) {
    if (!s.is_code(k)) continue;
    if (!s.is_inserted(k)) return is_wanted(s, k, reg);
    if (s.at(k).name == "jmp") return false;
    if (s.at(k).operands.find(stem) != std::string_view::npos) return true;
  }
  return true;
}

// Words of the tables of chosen paths that no chosen path is counted in.
std::set<std::string> unread_words(const Subject &s) {
  std::set<std::string> out;
  for (const format::Procedure &p : s.woven_case().woven.map.procedures) {
    const core::PathPlan &paths = p.plan.paths;
    uint32_t own = p.plan.placement != core::Placement::chosen_paths || paths.by_number ? kNowhere : s.label(p.name);
    // Its number in this unit is in the label right after its own.
    if (own == kNowhere || own + 1 >= s.tail() || !s.at(own + 1).name.starts_with(".Lchord_f")) continue;
    std::string_view number = s.at(own + 1).name.substr(9);
    std::string table = ".Lchord_c" + std::string(number.substr(0, number.find('_'))) + "@tpoff";
    for (uint32_t index = 0; index < paths.words; ++index) {
      if (std::find(paths.slots.begin(), paths.slots.end(), index) != paths.slots.end()) continue;
      out.insert(Sum{{{"fs", 1}, {table, 1}}, int64_t{8} * index}.text());
    }
  }
  return out;
}

std::string by_effect(const Subject &s, const Mutant &m) {
  uint32_t at = kNowhere;
  for (uint32_t k = 0; k < s.tail() && at == kNowhere; ++k) {
    bool touches = s.at(k).end >= m.edits[0].begin && s.at(k).begin <= m.edits[0].end;
    if (touches && s.is_inserted(k) && s.is_code(k)) at = k;
  }
  if (at == kNowhere) return "";
  Chunk chunk = chunk_around(s, at);
  uint32_t begin = s.at(chunk.first).begin, end = s.at(chunk.last).end;
  std::vector<Edit> edits = m.edits;
  for (Edit &e : edits) {
    if (e.begin < begin || e.end > end) return "";
    e.begin -= begin;
    e.end -= begin;
  }
  std::string text = s.text().substr(begin, end - begin);
  std::vector<verify::TextRange> none;
  auto before = execute(text), after = execute(apply(text, edits, none));
  if (!before || !after) return "";
  auto wanted = [&](const std::string &name) {
    size_t jump = name.find(" at ");
    std::string reg = name.substr(0, jump);
    return is_wanted(s, chunk.leads_to, reg) || (jump != std::string::npos && is_mentioned(s, name.substr(jump + 4), reg));
  };
  auto all_dead = [&](const std::set<std::string> &differences) { return std::none_of(differences.begin(), differences.end(), wanted); };
  std::set<std::string> differences = before->differences(*after);
  if (differences.empty()) return "same";
  if (all_dead(differences)) return "dead";
  if (const std::set<std::string> unread = unread_words(s); !unread.empty()) {
    if (all_dead(execute(text, unread)->differences(*execute(apply(text, edits, none), unread)))) return "unread";
  }
  if (std::string rule = by_both_ways(s, chunk, edits); !rule.empty()) return rule;
  return has_no_red_zone(s, chunk) && all_dead(before->differences(*after, 0)) ? "below" : "";
}

// ---- unwind rules ----

bool is_frame_rule(const Statement &x) { return x.name.starts_with(".cfi_def_cfa") || x.name == ".cfi_adjust_cfa_offset"; }

bool is_offset_rule(const Statement &x) { return x.name == ".cfi_def_cfa_offset" || x.name == ".cfi_adjust_cfa_offset"; }

// Both say something of the same thing.
bool replaces(const Statement &later, const Statement &rule) {
  if (later.name == ".cfi_endproc") return true;
  if (later.name == ".cfi_restore_state") return rule.name != ".cfi_remember_state" && rule.name != ".cfi_restore_state";
  if (is_frame_rule(rule)) return later.name == ".cfi_def_cfa" || (is_offset_rule(rule) && later.name == ".cfi_def_cfa_offset");
  bool saved = rule.name == ".cfi_offset" || rule.name == ".cfi_restore";
  auto reg = [](const Statement &x) { return assembly::trim(x.operands.substr(0, x.operands.find(','))); };
  return saved && (later.name == ".cfi_offset" || later.name == ".cfi_restore") && reg(later) == reg(rule);
}

// Rules are restored, and nothing but these was changed since they were remembered.
bool restores_only(const Subject &s, uint32_t rule, bool (*these)(const Statement &)) {
  if (s.at(rule).name != ".cfi_restore_state") return false;
  for (uint32_t k = rule; k-- > 0;) {
    if (s.at(k).section != s.at(rule).section || !s.at(k).name.starts_with(".cfi_")) continue;
    if (s.at(k).name == ".cfi_remember_state") return true;
    if (!these(s.at(k))) return false;
  }
  return false;
}

// Where the rules that are remembered here are restored.
uint32_t restored_at(const Subject &s, uint32_t remembers) {
  int depth = 0;
  for (uint32_t k = remembers; k < s.tail(); ++k) {
    if (s.at(k).section != s.at(remembers).section) continue;
    depth += (s.at(k).name == ".cfi_remember_state") - (s.at(k).name == ".cfi_restore_state");
    if (depth == 0) return k;
  }
  return kNowhere;
}

bool is_nowhere_in_force(const Subject &s, uint32_t rule) {
  if (s.at(rule).name == ".cfi_remember_state") {
    uint32_t restored = restored_at(s, rule);
    return restored != kNowhere && is_nowhere_in_force(s, restored);
  }
  bool frame = restores_only(s, rule, is_frame_rule), offset = restores_only(s, rule, is_offset_rule);
  for (uint32_t k = rule + 1; k < s.tail(); ++k) {
    if (s.at(k).section != s.at(rule).section) continue;
    bool alignment = s.at(k).name == ".skip" || assembly::is_alignment(s.at(k));
    if (s.is_code(k) || alignment) return s.at(k).name == "nopl" && s.is_inserted(k) ? is_nowhere_in_force(s, k) : false;
    if (replaces(s.at(k), s.at(rule)) || (frame && s.at(k).name == ".cfi_def_cfa") || (offset && s.at(k).name == ".cfi_def_cfa_offset")) return true;
    if (s.at(k).name == ".cfi_remember_state") return false;
  }
  return false;
}

// The rule of a register is dropped that the program has popped before, in the same block, and not written since: it is its
// caller's again, and so it is found without a rule.
bool is_popped(const Subject &s, uint32_t rule, const Edit &e) {
  if (s.at(rule).name != ".cfi_offset" || !e.text.empty()) return false;
  unsigned r = 0;
  std::string number(s.at(rule).operands.substr(0, s.at(rule).operands.find(',')));
  while (r < 16 && std::to_string(kDwarf[r]) != number) ++r;
  uint32_t next = s.next_code(rule), k = next == kNowhere ? kNowhere : s.leads_to(next);
  while (r < 16 && k != kNowhere && k-- > 0) {
    if (s.at(k).section != s.at(rule).section) continue;
    if (s.at(k).kind == StatementKind::label && s.is_jumped_to(s.at(k).name)) return false;
    if (!s.is_code(k)) continue;
    if (s.is_inserted(k)) {
      if (s.at(k).name == "call") return false;
      continue;
    }
    if (!s.instruction(k) || s.decoded(k).flow != isa::Flow::next || s.decoded(k).unknown_effects) return false;
    if (s.decoded(k).writes & isa::register_numbered(r)) return s.decoded(k).mnemonic == "pop";
  }
  return false;
}

std::string by_rules(const Subject &s, const Mutant &m) {
  for (const Edit &e : m.edits) {
    bool nowhere = false, popped = false;
    for (uint32_t k : s.rules) {
      if (s.at(k).begin != e.begin) continue;
      nowhere = nowhere || is_nowhere_in_force(s, k);
      popped = popped || is_popped(s, k, e);
    }
    if (popped && !nowhere) return m.edits.size() == 1 ? "popped" : "";
    if (!nowhere) return "";
  }
  return "nowhere";
}

// The jump over the request for a record is gone: the runtime is asked for a record that is at hand, and gives the same one.
bool asks_anyway(const Subject &s, const Mutant &m) {
  for (uint32_t k = 0; k < s.tail(); ++k) {
    bool jump = s.is_code(k) && s.is_inserted(k) && s.at(k).name == "je" && s.at(k).operands.starts_with(".Lchord_y");
    if (jump && m.edits.size() == 1 && m.edits[0].text.empty() && m.edits[0].begin <= s.at(k).begin && m.edits[0].end >= s.at(k).end && m.edits[0].end - m.edits[0].begin <= s.at(k).end - s.at(k).begin + 2) return true;
  }
  return false;
}

// Text that is put right after an instruction that control does not come back from, with no label between.
bool is_behind_end(const Subject &s, const Edit &e) {
  for (uint32_t k = 0; k < s.tail(); ++k) {
    if (!s.is_code(k) || s.at(k).end != e.begin || e.begin != e.end) continue;
    return !s.is_inserted(k) && s.instruction(k) && (s.decoded(k).flow == isa::Flow::jump || s.decoded(k).flow == isa::Flow::leave);
  }
  return false;
}

// Nothing but a label is moved, which nothing names but jumps that are never executed.
bool moves_unused_label(const Subject &s, const Mutant &m, const std::vector<bool> &executed) {
  std::string_view label;
  for (uint32_t k = 0; k < s.tail(); ++k) {
    const Statement &x = s.at(k);
    if (x.kind == StatementKind::label && m.edits.size() == 2 && x.begin == m.edits[0].begin && m.edits[0].text.empty() &&
        m.edits[1].text == "\n" + std::string(x.name) + ":\n") label = x.name;
  }
  for (uint32_t k = 0; k < s.size() && !label.empty(); ++k) {
    std::vector<std::string_view> names = assembly::symbols_in(s.at(k).operands);
    bool named = s.at(k).kind != StatementKind::label && std::find(names.begin(), names.end(), label) != names.end();
    if (named && !(s.is_code(k) && !executed[k])) return false;
  }
  return !label.empty();
}

// Code that control never comes to, and labels in front of such code.
bool is_never_executed(const Subject &s, const Mutant &m) {
  const std::vector<bool> executed = executed_statements(s);
  if (moves_unused_label(s, m, executed)) return true;
  for (const Edit &e : m.edits) {
    bool unreached = is_behind_end(s, e);
    if (unreached) continue;
    for (uint32_t k = 0; k < s.tail(); ++k) {
      const bool label = s.at(k).kind == StatementKind::label && !e.inserted && s.at(k).begin == e.begin;
      if ((!s.is_code(k) && !label) || s.at(k).end < e.begin || s.at(k).begin > e.end) continue;
      uint32_t code = label ? s.next_code(k) : k;
      unreached = code != kNowhere && !executed[code];
      if (!unreached) return false;
    }
    if (!unreached) return false;
  }
  return true;
}

// The inserted jump that leads to the code out of line that this statement is in.
uint32_t jump_to_chunk(const Subject &s, uint32_t k) {
  while (k-- > 0 && s.at(k).kind != StatementKind::label) {
  }
  for (uint32_t jump = 0; k != kNowhere && jump < s.tail(); ++jump) {
    if (s.is_code(jump) && s.is_inserted(jump) && s.at(jump).name.starts_with('j') && s.at(jump).operands == s.at(k).name) return jump;
  }
  return kNowhere;
}

// Between the entry of the procedure and here, with no way in between, inserted code only takes addresses into the register, or puts
// what the runtime has found into the frame: it adds nothing.
bool is_as_found(const Subject &s, uint32_t here, const std::string &place) {
  const bool word = place.ends_with("(%rsp)");
  for (uint32_t k = here; k-- > 0;) {
    const Statement &x = s.at(k);
    if (x.section != s.at(here).section) continue;
    if (x.kind == StatementKind::label && !x.name.starts_with(".L")) return true;
    if (x.kind == StatementKind::label && s.is_jumped_to(x.name)) return false;
    if (!s.is_code(k) || !s.is_inserted(k)) continue;
    const bool sets = x.operands == place || x.operands.ends_with("," + place);
    const bool takes = x.name == "movq" || x.name == "popq" || (x.name == "leaq" && x.operands.starts_with(".Lchord_k"));
    const uint32_t before = s.previous_code(k);
    const bool argument = before != kNowhere && s.is_inserted(before) && s.at(before).name == "pushq" && x.operands.ends_with(",(%rsp)");
    const bool adds = (x.name == "addq" || x.name == "subq") && x.operands.find("(%rsp)") != std::string_view::npos && !argument;
    const bool found = before != kNowhere && s.at(before).name == "popq" && x.operands.starts_with(s.at(before).operands);
    if (word && x.name == "movq" && x.operands.ends_with("(%rsp)") && !found) return false;
    if (x.name == "jmp" || adds || (sets && !takes && x.name != "pushq")) return false;
  }
  return false;
}

// The record's address is not rounded down, where the register holds it as it was found.
bool is_round_already(const Subject &s, const Mutant &m) {
  if (m.edits.size() != 1 || !m.edits[0].text.empty()) return false;
  for (uint32_t k = 0; k < s.tail(); ++k) {
    if (s.at(k).begin != m.edits[0].begin || s.at(k).end != m.edits[0].end || s.at(k).name != "andq" || !s.at(k).operands.starts_with("$-")) continue;
    const uint32_t taken = s.previous_code(k), jump = jump_to_chunk(s, k);
    std::string_view from = taken == kNowhere ? "" : s.at(taken).operands.substr(0, s.at(taken).operands.find(','));
    return taken != kNowhere && s.at(taken).name == "movq" && (from.starts_with('%') || from.ends_with("(%rsp)")) && jump != kNowhere && is_as_found(s, jump, std::string(from));
  }
  return false;
}

// The record that the runtime is told on the way out, below the stack pointer, is rounded before and not after: the runtime rounds it itself.
bool is_told_round(const Subject &s, const Mutant &m) {
  if (m.edits.size() != 2) return false;
  for (uint32_t k = 0; k < s.tail(); ++k) {
    if (s.at(k).begin != m.edits[0].begin || s.at(k).name != "movq" || !s.at(k).operands.ends_with(",-96(%rsp)")) continue;
    const uint32_t next = s.next_code(k);
    const std::string reg(s.at(k).operands.substr(0, s.at(k).operands.find(',')));
    return next != kNowhere && s.at(next).begin == m.edits[1].begin && s.words(next) == "andq\t$-64," + reg && m.edits[0].text == s.words(next) &&
           m.edits[1].text == s.words(k);
  }
  return false;
}

// Nothing but a jump is put in front of the label that it leads to.
bool jumps_to_next(const Subject &s, const Mutant &m) {
  if (m.edits.size() != 1 || m.edits[0].begin != m.edits[0].end) return false;
  assembly::Source source;
  read_source(m.edits[0].text, source);
  std::string_view goal;
  for (const Statement &x : source.statements) {
    if (x.kind != StatementKind::instruction) continue;
    if (!x.name.starts_with('j') || !goal.empty()) return false;
    goal = x.operands;
  }
  for (uint32_t k = 0; k < s.tail() && !goal.empty(); ++k) {
    if (s.at(k).begin < m.edits[0].begin) continue;
    if (s.at(k).kind == StatementKind::label && s.at(k).name == goal) return true;
    if (s.is_code(k)) return false;
  }
  return false;
}

}  // namespace

std::string equivalence(const Subject &s, const Mutant &m) {
  if (!m.equivalent.empty() || m.edits.empty()) return m.equivalent;
  if (asks_anyway(s, m)) return "asked";
  if (is_never_executed(s, m)) return "unreached";
  if (jumps_to_next(s, m)) return "unchanged";
  if (is_round_already(s, m) || is_told_round(s, m)) return "round";
  std::string rule = by_rules(s, m);
  return rule.empty() ? by_effect(s, m) : rule;
}

std::string apply(const std::string &text, std::vector<Edit> edits, std::vector<verify::TextRange> &ranges) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
  std::string out;
  std::vector<verify::TextRange> result;
  size_t at = 0, r = 0;
  auto copy = [&](size_t to) {
    while (at < to) {
      while (r < ranges.size() && ranges[r].end <= at) ++r;
      bool inside = r < ranges.size() && ranges[r].begin <= at;
      size_t end = std::min<size_t>(to, r == ranges.size() ? to : inside ? ranges[r].end : std::max<size_t>(ranges[r].begin, at));
      if (end == at) end = to;
      auto begin = static_cast<uint32_t>(out.size());
      out.append(text, at, end - at);
      if (inside) result.push_back({begin, static_cast<uint32_t>(out.size())});
      at = end;
    }
  };
  for (const Edit &e : edits) {
    copy(e.begin);
    auto begin = static_cast<uint32_t>(out.size());
    out += e.text;
    if (e.inserted) result.push_back({begin, static_cast<uint32_t>(out.size())});
    at = e.end;
  }
  copy(text.size());
  ranges = std::move(result);
  return out;
}

}  // namespace chord::mutation
