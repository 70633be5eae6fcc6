#include "weave/exits/wrapped_names.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace chord::weave {

using assembly::Statement;
using assembly::StatementKind;

namespace {

bool is_wrapped_function(std::string_view name) {
#define CHORD_NAME(f) std::string_view(#f),
  static constexpr std::array kNames = {CHORD_WRAPPED_FUNCTIONS(CHORD_NAME)};
#undef CHORD_NAME
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool holds_addresses(const Statement &s) {
  return s.kind == StatementKind::directive && (s.name == ".quad" || s.name == ".8byte");
}

// Branches have an owner; comparing an address is asking about it, not using it.
bool loads_address(const assembly::Instruction &in) {
  return !in.padding && in.decoded.flow == isa::Flow::next &&
         (in.decoded.mnemonic == "mov" || in.decoded.mnemonic == "lea");
}

class Renaming {
 public:
  Renaming(const assembly::Unit &unit, Edits &edits) : unit_(unit), source_(*unit.source), edits_(edits) {
    for (const Statement &s : source_.statements) {
      if (s.kind != StatementKind::directive || (s.name != ".weak" && s.name != ".weakref")) continue;
      for (std::string_view name : assembly::split_operands(s.operands)) weak_.insert(name);
    }
  }

  void run() {
    for (const Statement &s : source_.statements) {
      if (holds_addresses(s) && !source_.sections[s.section].debug) rename_in(s);
    }
    for (const assembly::Procedure &p : unit_.procedures) {
      for (const assembly::Instruction &in : p.instructions) {
        if (loads_address(in)) rename_in(source_.statements[in.last_statement]);
      }
    }
  }

 private:
  void rename_in(const Statement &statement) {
    for (std::string_view name : assembly::symbols_in(statement.operands)) {
      std::string other = weak_.contains(name) ? "" : stand_in(unit_.symbols, name);
      if (other.empty()) continue;
      uint32_t at = static_cast<uint32_t>(name.data() - source_.text.data());
      edits_.replace(at, static_cast<uint32_t>(name.size()), other);
    }
  }

  const assembly::Unit &unit_;
  const assembly::Source &source_;
  Edits &edits_;
  std::set<std::string_view> weak_;
};

}  // namespace

std::string stand_in(const assembly::Symbols &symbols, std::string_view symbol) {
  if (!is_wrapped_function(symbol) || symbols.labels.contains(symbol)) return {};
  return fmt::format("__chord_wrap_{}", symbol);
}

void name_stand_ins(const assembly::Unit &unit, Edits &edits) { Renaming(unit, edits).run(); }

}  // namespace chord::weave
