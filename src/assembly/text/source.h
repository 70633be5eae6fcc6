// Assembly text, cut into statements. The text itself is kept untouched: woven
// output is the input plus edits at byte positions.
//
// Statements end at a newline or semicolon; comments and strings are understood as
// the GNU assembler understands them on x86-64. A label is a statement of its own,
// also when an instruction follows it on the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chord::assembly {

enum class StatementKind : uint8_t {
  label,        // name = the label
  directive,    // name = ".section"; operands = the rest
  instruction,  // name = mnemonic (with prefixes' first word); operands = the rest
  assignment,   // name = operands
};

struct Statement {
  StatementKind kind = StatementKind::directive;
  bool inline_asm = false;  // between #APP and #NO_APP
  uint32_t begin = 0;       // bytes [begin, end) of the text, without white space around
  uint32_t end = 0;
  uint32_t line = 0;        // 1-based
  uint32_t section = 0;     // index in Source::sections
  bool intel_syntax = false;
  std::string_view name;
  std::string_view operands;
};

struct Section {
  std::string name;
  std::string group;        // COMDAT group, or empty
  std::string arguments;    // what followed .section, to switch back to it
  bool executable = false;
  bool loaded = false;
  bool debug = false;       // no code can be reached through it
};

// Statements point into the text, so a Source stays where it was made.
struct Source {
  Source() = default;
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  std::string text;
  std::vector<Statement> statements;
  std::vector<Section> sections;
  // Directives whose presence makes text and bytes hard to relate: macros,
  // conditionals, repetition, inclusion. Empty or the first of them.
  std::string preprocessing;
};

void read_source(std::string text, Source &out);

bool is_alignment(const Statement &statement);
// Says something of a name, computes with distances, or holds mere text: whatever it mentions,
// nobody gets to know an address.
bool is_harmless_mention(const Statement &statement);

// What `.loc FILE LINE …` states: the number given by .file, and the line; 0 where there is none.
struct SourceLine {
  uint32_t file = 0, line = 0;
};
SourceLine line_of_loc(const Statement &statement);

// A name set to an expression: .set name, of; name = of.
struct Alias {
  std::string_view name, of;
};
std::optional<Alias> alias_in(const Statement &statement);

// "a, b(c,d), e" -> {"a", "b(c,d)", "e"}; parentheses and quotes are respected.
std::vector<std::string_view> split_operands(std::string_view operands);

// First symbol in an expression such as ".L4-.LBASE", "foo@PLT", "*foo(%rip)".
std::string_view first_symbol(std::string_view expression);

// Every word of operands that may be a symbol; registers written with % are left out.
std::vector<std::string_view> symbols_in(std::string_view operands);

// The strings in operands, with their escapes undone as the assembler undoes them (\303, \x2f, \n, \").
std::vector<std::string> quoted_strings(std::string_view operands);

std::string_view trim(std::string_view s);

}  // namespace chord::assembly
