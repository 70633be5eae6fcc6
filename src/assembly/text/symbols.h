// What the text says about names: labels, functions, and every place outside of
// branches that refers to a label inside code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "assembly/text/source.h"

namespace chord::assembly {

// A mention of a code label: the operand `operand` of `statement`.
struct Mention {
  uint32_t statement = 0;
  uint32_t operand = 0;
  std::string_view label;
};

// Consecutive data words that name labels inside code: a jump table, or an array
// of label addresses.
struct Table {
  std::string_view name;          // label before it; empty if none
  std::vector<Mention> entries;
  // Code labels that entries are relative to. An entry that leads to the base itself
  // is the number 0 and names nobody.
  std::vector<std::string_view> bases;
  bool compiler_made = false;     // local label: only its own jump can know it
};

struct Symbols {
  std::unordered_map<std::string_view, uint32_t> labels;  // name -> statement (not 1: style labels)
  std::unordered_set<std::string_view> functions;         // .type NAME, @function
  std::unordered_set<std::string_view> globals;
  std::unordered_set<std::string_view> resolved;          // .type NAME, @gnu_indirect_function
  std::vector<Table> tables;
  std::unordered_map<std::string_view, uint32_t> table_named;  // label -> index in tables
  // Labels that table entries are relative to: their address is taken to compute
  // with, not to jump to.
  std::unordered_set<std::string_view> bases;
  std::vector<Mention> taken;         // code labels whose address is taken by instructions
  std::vector<Mention> landing_pads;  // third field of each call-site record
  std::string unit;                   // .file "name"

  // The statement that a branch operand at `from` names, or kNoStatement.
  uint32_t find_label(const Source &source, std::string_view name, uint32_t from) const;
};
inline constexpr uint32_t kNoStatement = UINT32_MAX;

Symbols index_symbols(const Source &source);

}  // namespace chord::assembly
