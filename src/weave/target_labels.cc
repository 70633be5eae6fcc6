#include "weave/target_labels.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::StatementKind;

namespace {

// "1f" and "1b" mean a label 1.
std::string_view label_named(std::string_view operand) {
  std::string_view name = assembly::first_symbol(operand);
  size_t digits = name.find_first_not_of("0123456789");
  return digits == 0 || digits == std::string_view::npos ? name : name.substr(0, digits);
}

}  // namespace

std::set<std::string_view> target_labels(const assembly::Source &source, const assembly::Procedure &p) {
  std::set<std::string_view> found;
  for (const assembly::Instruction &in : p.instructions) {
    if (!in.padding && in.decoded.flow != isa::Flow::next) found.insert(label_named(source.statements[in.last_statement].operands));
  }
  // What tables and handlers of exceptions lead to need not be named by an instruction.
  for (const assembly::Edge &e : p.edges) {
    if (p.blocks[e.to].kind != BlockKind::code || p.blocks[e.from].kind == BlockKind::code) continue;
    uint32_t first = p.instructions[p.blocks[e.to].first].first_statement;
    for (uint32_t s = first; s-- > 0 && source.statements[s].kind != StatementKind::instruction;) {
      if (source.statements[s].kind == StatementKind::label) found.insert(source.statements[s].name);
    }
  }
  return found;
}

}  // namespace chord::weave
