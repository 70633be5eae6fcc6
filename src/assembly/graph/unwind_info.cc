#include "assembly/graph/unwind_info.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "isa/code_text.h"

namespace chord::assembly {
namespace {

int64_t to_integer(std::string_view s) {
  s = trim(s);
  bool negative = s.starts_with('-');
  if (negative) s.remove_prefix(1);
  int base = 10;
  if (s.starts_with("0x")) {
    base = 16;
    s.remove_prefix(2);
  }
  int64_t value = 0;
  std::from_chars(s.data(), s.data() + s.size(), value, base);
  return negative ? -value : value;
}

// Applies directives one after the other.
class Follower {
 public:
  UnwindRules rules;

  // True if the statement changed the rules.
  bool apply(const Statement &s) {
    if (s.kind != StatementKind::directive || !s.name.starts_with(".cfi_")) return false;
    std::string_view what = s.name.substr(5);
    std::vector<std::string_view> args = split_operands(s.operands);
    auto arg = [&](size_t i) { return i < args.size() ? args[i] : std::string_view{}; };
    if (what == "startproc") {
      rules = {};
      rules.active = true;
      rules.frame_register = "7";
      rules.frame_offset = 8;
      saved_.clear();
    } else if (what == "endproc") {
      rules = {};
    } else if (what == "def_cfa") {
      set_frame(arg(0), to_integer(arg(1)));
    } else if (what == "def_cfa_register") {
      set_frame(arg(0), rules.frame_offset);
    } else if (what == "def_cfa_offset") {
      rules.frame_offset = to_integer(arg(0));
    } else if (what == "adjust_cfa_offset") {
      rules.frame_offset += to_integer(arg(0));
    } else if (what == "remember_state") {
      saved_.push_back(rules);
    } else if (what == "restore_state") {
      if (!saved_.empty()) {
        rules = saved_.back();
        saved_.pop_back();
      }
    } else if (what == "offset") {
      rules.registers[std::string(arg(0))] = fmt::format(".cfi_offset {}, {}", arg(0), arg(1));
    } else if (what == "rel_offset") {
      rules.registers[std::string(arg(0))] =
          fmt::format(".cfi_offset {}, {}", arg(0), to_integer(arg(1)) - rules.frame_offset);
    } else if (what == "restore") {
      for (std::string_view r : args) rules.registers.erase(std::string(r));
    } else if (what == "undefined" || what == "same_value" || what == "register") {
      rules.registers[std::string(arg(0))] = fmt::format("{} {}", s.name, s.operands);
    } else if (what == "escape") {
      escape(s, args);
    } else {
      return false;
    }
    return true;
  }

 private:
  void set_frame(std::string_view reg, int64_t offset) {
    rules.frame_register = reg;
    rules.frame_offset = offset;
    rules.frame_escape.clear();
  }

  // DW_CFA_def_cfa_expression and DW_CFA_expression, as gcc writes them for
  // functions that realign the stack.
  void escape(const Statement &s, const std::vector<std::string_view> &args) {
    std::string text = fmt::format(".cfi_escape {}", s.operands);
    int64_t opcode = args.empty() ? 0 : to_integer(args[0]);
    if (opcode == 0x0f) {
      rules.frame_escape = text;
    } else if (opcode == 0x10 && args.size() > 1) {
      rules.registers[fmt::format("{}", to_integer(args[1]))] = text;
    } else {
      rules.registers[fmt::format("escape {}", s.operands)] = text;
    }
  }

  std::vector<UnwindRules> saved_;
};

}  // namespace

bool follows_instruction(const Statement &directive) {
  for (std::string_view name : {".cfi_def_cfa", ".cfi_def_cfa_offset", ".cfi_def_cfa_register", ".cfi_adjust_cfa_offset", ".cfi_offset",
                                ".cfi_rel_offset", ".cfi_register", ".cfi_restore", ".cfi_escape"}) {
    if (directive.kind == StatementKind::directive && directive.name == name) return true;
  }
  return false;
}

uint32_t start_of_rules(const Source &source, const Fragment &fragment) {
  for (uint32_t i = fragment.first_statement; i-- > 0;) {
    const Statement &s = source.statements[i];
    if (s.section != fragment.section || s.kind == StatementKind::instruction || s.name == ".cfi_endproc") break;
    if (s.name == ".cfi_startproc") return i;
  }
  return fragment.first_statement;
}

bool UnwindRules::frame_follows_stack_pointer() const {
  return active && frame_escape.empty() && isa::is_stack_pointer_rule(frame_register);
}

std::vector<std::string> UnwindRules::popped() const {
  std::vector<std::string> out;
  for (const auto &[reg, at] : places_of_popped()) out.push_back(reg);
  return out;
}

std::map<std::string, int64_t> UnwindRules::places_of_popped() const {
  std::map<std::string, int64_t> out;
  if (!frame_follows_stack_pointer()) return out;
  for (const auto &[reg, directive] : registers) {
    size_t comma = directive.find(',');
    if (!directive.starts_with(".cfi_offset ") || comma == std::string::npos) continue;
    if (int64_t at = to_integer(directive.substr(comma + 1)); at < -frame_offset) out.emplace(reg, at);
  }
  return out;
}

std::string UnwindRules::forget_popped_in(int64_t word) const {
  constexpr int64_t kWord = 8;  // vector registers alone take two
  std::string out;
  for (const auto &[reg, at] : places_of_popped()) {
    const bool here = at == word || (at == word - kWord && reg.find("xmm") != std::string::npos);
    if (here) out += fmt::format("\t.cfi_restore {}\n", reg);
  }
  return out;
}

std::string UnwindRules::forget_popped() const {
  std::string out;
  for (const std::string &reg : popped()) out += fmt::format("\t.cfi_restore {}\n", reg);
  return out;
}

std::string UnwindRules::recall_popped() const {
  std::string out;
  for (const std::string &reg : popped()) out += fmt::format("\t{}\n", registers.at(reg));
  return out;
}

UnwindInfo::UnwindInfo(const Source &source, const Fragment &fragment) {
  Follower follower;
  changes_.emplace_back(0, follower.rules);
  for (uint32_t i = start_of_rules(source, fragment); i < source.statements.size(); ++i) {
    const Statement &s = source.statements[i];
    if (i >= fragment.last_statement && !follower.rules.active) break;
    if (s.section != fragment.section) continue;
    if (follower.apply(s)) changes_.emplace_back(i + 1, follower.rules);
    if (i >= fragment.last_statement && s.kind == StatementKind::instruction) break;
  }
}

const UnwindRules &UnwindInfo::before(uint32_t statement) const {
  auto it = std::upper_bound(changes_.begin(), changes_.end(), statement,
                             [](uint32_t s, const auto &change) { return s < change.first; });
  return std::prev(it)->second;
}

bool can_change_rules(const UnwindRules &from, const UnwindRules &to) {
  return from.active == to.active && std::all_of(from.registers.begin(), from.registers.end(), [&](const auto &rule) {
    auto same = to.registers.find(rule.first);
    return !rule.first.starts_with("escape") || (same != to.registers.end() && same->second == rule.second);
  });
}

std::string change_rules(const UnwindRules &from, const UnwindRules &to) {
  std::string out;
  if (!to.active || from == to) return out;
  if (!to.frame_escape.empty()) {
    if (from.frame_escape != to.frame_escape) out += fmt::format("\t{}\n", to.frame_escape);
  } else if (!from.frame_escape.empty() || from.frame_register != to.frame_register ||
             from.frame_offset != to.frame_offset) {
    out += fmt::format("\t.cfi_def_cfa {}, {}\n", to.frame_register, to.frame_offset);
  }
  for (const auto &[reg, directive] : from.registers) {
    if (!to.registers.contains(reg) && !reg.starts_with("escape")) out += fmt::format("\t.cfi_restore {}\n", reg);
  }
  for (const auto &[reg, directive] : to.registers) {
    auto it = from.registers.find(reg);
    if (it == from.registers.end() || it->second != directive) out += fmt::format("\t{}\n", directive);
  }
  return out;
}

std::optional<bool> FrameRules::stands_at(const Instruction &instruction) {
  auto it = by_fragment_.find(instruction.fragment);
  if (it == by_fragment_.end()) {
    it = by_fragment_.emplace(instruction.fragment, UnwindInfo(source_, procedure_.fragments[instruction.fragment])).first;
  }
  const UnwindRules &rules = it->second.before(instruction.first_statement);
  if (!rules.active) return std::nullopt;
  return !(rules.frame_follows_stack_pointer() && rules.frame_offset == 8);
}

}  // namespace chord::assembly
