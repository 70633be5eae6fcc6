#include "weave/kept_registers.h"

#include <fmt/core.h>

#include <optional>
#include <vector>

#include "isa/code_text.h"

namespace chord::weave {
namespace {

std::string word_at(std::string_view operand, int64_t moved) {
  return fmt::format("{} {}", operand, isa::is_stack_pointer_operand(operand) ? moved : 0);
}

}  // namespace

void KeptRegisters::note(const assembly::Statement &x, int64_t moved, isa::Resources touched) {
  std::vector<std::string_view> operands = assembly::split_operands(x.operands);
  if (x.name != "movq" || operands.size() != 2 || !isa::is_stack_operand(operands[1])) return;
  std::optional<isa::Resources> reg = isa::register_named(operands[0]);
  bool original = reg && !(touched & *reg);
  at_[word_at(operands[1], moved)] = original ? operands[0] : "";
}

bool KeptRegisters::puts_back(const assembly::Statement &x, int64_t moved) const {
  std::vector<std::string_view> operands = assembly::split_operands(x.operands);
  if (x.name != "movq" || operands.size() != 2 || !isa::is_stack_operand(operands[0])) return false;
  auto found = at_.find(word_at(operands[0], moved));
  return found != at_.end() && found->second == operands[1];
}

}  // namespace chord::weave
