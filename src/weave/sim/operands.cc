#include "weave/sim/operands.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "weave/sim/accesses.h"

namespace chord::weave {
namespace {

using Place = isa::Access::Place;

// Of `lock addq $1,x` the name is that of the prefix.
std::string_view without_mnemonic(const assembly::Statement &s) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"lock", "notrack", "bnd", "xacquire", "xrelease", "data16"};
  std::string_view name = s.name, operands = s.operands;
  while (std::find(kPrefixes.begin(), kPrefixes.end(), name) != kPrefixes.end()) {
    size_t end = operands.find_first_of(" \t"), next = operands.find_first_not_of(" \t", end);
    if (end == std::string_view::npos || next == std::string_view::npos) return {};
    name = operands.substr(0, end);
    operands.remove_prefix(next);
  }
  return operands;
}

bool is_memory(std::string_view operand, bool intel_syntax) {
  if (operand.empty()) return false;
  if (intel_syntax) return operand.find('[') != std::string_view::npos || operand.find("PTR") != std::string_view::npos;
  if (operand[0] == '*') operand.remove_prefix(1);
  if (operand.empty() || operand[0] == '$') return false;
  return operand[0] != '%' || operand.find(':') != std::string_view::npos;
}

const assembly::Statement &statement_of(const ProcedureFacts &facts, uint32_t i) { return facts.source().statements[facts.p.instructions[i].last_statement]; }

}  // namespace

std::string operand_for_address(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t i, bool thread_segment) {
  const assembly::Statement &s = statement_of(facts, i);
  if (s.name.starts_with("movabs")) return {};
  for (std::string_view operand : assembly::split_operands(without_mnemonic(s))) {
    if (!is_memory(operand, s.intel_syntax)) continue;
    auto at = static_cast<uint32_t>(operand.data() - facts.source().text.data());
    std::string text(operand);
    for (const Replacement &r : plan.moved) {
      if (r.at == at) text = r.text;
    }
    return isa::operand_for_address(text, s.intel_syntax, thread_segment);
  }
  return {};
}

isa::DataAddress address_of(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t i, const isa::Access &access, std::string &why_not) {
  isa::DataAddress at;
  switch (access.place) {
    case Place::pushed:
    case Place::stack_top:
      at.base = isa::kStackPointer;
      at.on_stack = true;
      at.plus -= access.place == Place::pushed ? access.bytes : 0;
      break;
    case Place::frame: at.base = isa::kFramePointer; break;
    case Place::source: at.base = isa::kStringSource; break;
    case Place::target: at.base = isa::kStringTarget; break;
    case Place::operand: {
      const isa::Accesses about = isa::accesses_of(bytes_of(facts, facts.p.instructions[i]));
      at.operand = operand_for_address(facts, plan, i, about.thread_segment);
      at.intel_syntax = statement_of(facts, i).intel_syntax;
      at.thread_segment = about.thread_segment;
      at.on_stack = (about.registers & isa::register_numbered(isa::kStackPointer)) != 0 && about.base == isa::kStackPointer;
      if (at.operand.empty()) why_not = fmt::format("the operand of `{}`", statement_of(facts, i).operands);
      break;
    }
  }
  return at;
}

}  // namespace chord::weave
