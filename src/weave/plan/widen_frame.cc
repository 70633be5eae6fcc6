#include "weave/plan/widen_frame.h"

#include <fmt/core.h>

#include <cstdlib>

namespace chord::weave {

using assembly::Fragment;
using assembly::Source;
using assembly::Statement;
using assembly::UnwindRules;

namespace {

constexpr std::string_view kSaved = ".cfi_offset ";

std::string moved_number(std::string_view text, int64_t by) {
  return fmt::format("{}", std::strtoll(std::string(text).c_str(), nullptr, 0) + by);
}

// The number of the directive that the wider frame changes, as an index of its
// operands, and by how much; an amount of 0 for none.
std::pair<size_t, int64_t> change_of(std::string_view name) {
  if (name == ".cfi_def_cfa_offset") return {0, isa::kWidening};
  if (name == ".cfi_def_cfa") return {1, isa::kWidening};
  if (name == ".cfi_offset") return {1, -isa::kWidening};
  return {0, 0};
}

}  // namespace

UnwindRules widened(UnwindRules rules, const isa::PathHolder &holder) {
  if (!rules.active) return rules;
  rules.frame_offset += isa::kWidening;
  for (auto &[reg, directive] : rules.registers) {
    if (!directive.starts_with(kSaved)) continue;
    size_t comma = directive.find(',');
    directive = directive.substr(0, comma + 2) + moved_number(directive.substr(comma + 1), -isa::kWidening);
  }
  std::string rule = isa::saved_register_rule(holder);
  if (!rule.empty()) rules.registers[std::to_string(isa::dwarf_number(holder.reg))] = rule;
  return rules;
}

void widen_rules(const Source &source, const assembly::Procedure &p, const isa::PathHolder &holder, Edits &edits) {
  for (size_t f = 0; f < p.fragments.size(); ++f) {
    const Fragment &fragment = p.fragments[f];
    for (uint32_t s = start_of_rules(source, fragment); s < source.statements.size(); ++s) {
      const Statement &x = source.statements[s];
      if (x.section != fragment.section) continue;
      if (s >= fragment.last_statement && x.kind == assembly::StatementKind::instruction) break;
      if (x.name == ".cfi_endproc") break;
      if (x.name == ".cfi_startproc" && f != 0) {
        std::string rule = isa::saved_register_rule(holder);
        edits.insert(x.end, fmt::format("\n\t.cfi_adjust_cfa_offset {}\n\t{}\n", isa::kWidening, rule));
      }
      auto [operand, by] = change_of(x.name);
      if (by == 0) continue;
      std::string_view text = assembly::split_operands(x.operands)[operand];
      edits.replace(static_cast<uint32_t>(text.data() - source.text.data()), static_cast<uint32_t>(text.size()),
                    moved_number(text, by));
    }
  }
}

std::optional<Replacement> moved_operand(const Source &source, const assembly::Instruction &instruction) {
  const Statement &s = source.statements[instruction.last_statement];
  char bracket = s.intel_syntax ? '[' : '(';
  for (std::string_view operand : assembly::split_operands(s.operands)) {
    if (operand.find(bracket) == std::string_view::npos) continue;
    std::string text = isa::move_displacement(operand, s.intel_syntax, isa::kWidening);
    if (text.empty()) return std::nullopt;
    return Replacement{static_cast<uint32_t>(operand.data() - source.text.data()), static_cast<uint32_t>(operand.size()),
                       std::move(text)};
  }
  return std::nullopt;
}

bool rules_at_way_out(const UnwindRules &rules) {
  return rules.active && rules.frame_follows_stack_pointer() && rules.frame_offset == 8;
}

}  // namespace chord::weave
