#include "assembly/unit/exposed_code.h"

#include <fmt/core.h>

#include <cctype>
#include <cstdlib>
#include <map>

#include "assembly/unit/evidence.h"

namespace chord::assembly {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_numbered(std::string_view name) {
  if (name.size() < 2 || (name.back() != 'b' && name.back() != 'f')) return false;
  for (char c : name.substr(0, name.size() - 1)) {
    if (!is_digit(c)) return false;
  }
  return true;
}

bool is_branch(const Statement &s) {
  return s.name.starts_with('j') || s.name.starts_with("call") || s.name.starts_with("loop") || s.name == "xbegin";
}

// Of a name as a whole; what others see is looked at where the label stands.
bool tells_linker(const Statement &s) {
  return s.name == ".globl" || s.name == ".global" || s.name == ".weak" || s.name == ".hidden" || s.name == ".protected" ||
         s.name == ".internal";
}

class ExposedCode {
 public:
  explicit ExposedCode(Unit &unit) : unit_(unit), source_(*unit.source), compiled_(is_written_by_compiler(unit)) {
    for (uint32_t n = 0; n < unit.procedures.size(); ++n) {
      for (const Fragment &f : unit.procedures[n].fragments) starts_[place(f.section, f.begin)] = {f.end, n};
    }
  }

  void run() {
    for (uint32_t s = 0; s < source_.statements.size(); ++s) {
      const Statement &statement = source_.statements[s];
      if (statement.kind == StatementKind::label) {
        look_at_label(s);
      } else if (can_mention(statement)) {
        for (std::string_view name : symbols_in(statement.operands)) look_at_mention(s, name);
      }
    }
  }

 private:
  static uint64_t place(uint32_t section, uint32_t position) { return uint64_t{section} << 32 | position; }

  // Directives of debug information and unwinding lead nobody anywhere.
  bool can_mention(const Statement &s) const {
    const Section &in = source_.sections[s.section];
    if (s.kind == StatementKind::label || in.debug || !in.loaded || in.name.starts_with(".gcc_except_table")) return false;
    return !s.operands.empty() && !is_harmless_mention(s) && !tells_linker(s);
  }

  // The procedure that a label lies in; kElsewhere at its start and outside of all.
  uint32_t inside_of(uint32_t label, bool start_counts) const {
    const Statement &s = source_.statements[label];
    uint32_t position = unit_.layout.places[label].begin;
    auto it = starts_.upper_bound(place(s.section, position));
    if (it == starts_.begin()) return kElsewhere;
    --it;
    if (it->first >> 32 != s.section || position >= it->second.first) return kElsewhere;
    bool at_start = it->first == place(s.section, position);
    return at_start && !start_counts ? kElsewhere : it->second.second;
  }

  void leave_alone(uint32_t n, uint32_t statement, std::string_view what) {
    if (n == kElsewhere || !unit_.procedures[n].skipped.empty()) return;
    unit_.procedures[n].skipped = fmt::format("line {}: {}", source_.statements[statement].line, what);
  }

  bool is_code(uint32_t label) const {
    return label != kNoStatement && source_.sections[source_.statements[label].section].executable;
  }

  void look_at_label(uint32_t s) {
    const Statement &statement = source_.statements[s];
    if (!is_code(s) || !unit_.symbols.globals.contains(statement.name)) return;
    if (unit_.symbols.functions.contains(statement.name)) return;
    leave_alone(inside_of(s, false), s, fmt::format("other files know {} in the middle of it", statement.name));
  }

  void look_at_mention(uint32_t s, std::string_view name) {
    const Statement &statement = source_.statements[s];
    if (is_numbered(name)) {
      if (statement.kind == StatementKind::instruction && is_branch(statement)) return;
      uint32_t label = unit_.symbols.find_label(source_, name, s);
      if (is_code(label)) leave_alone(inside_of(label, false), s, fmt::format("the address of {} in it is known", name));
      return;
    }
    uint32_t label = unit_.symbols.find_label(source_, name, s);
    if (!is_code(label)) return;
    bool code = statement.kind == StatementKind::instruction;
    if (has_offset(statement, name)) {
      leave_alone(inside_of(label, true), s, fmt::format("{} and a number lead into its middle", name));
    } else if (code && is_branch(statement)) {
      look_at_branch(s, label);
    } else if (code ? is_written(label) : source_.statements[label].inline_asm) {
      // Whoever takes the address of the procedure it stands in computes with it.
      bool own = code && inside_of(s, true) == inside_of(label, true);
      leave_alone(inside_of(label, own), s, fmt::format("the address of {} in it is known", name));
    }
  }

  // Jumps to labels in other procedures make one of the two (assembly/unit/build_unit.cc); calls do not.
  void look_at_branch(uint32_t s, uint32_t label) {
    uint32_t n = inside_of(label, false);
    if (!source_.statements[s].name.starts_with("call") || inside_of(s, true) == n) return;
    leave_alone(n, s, fmt::format("{} in the middle of it is called", source_.statements[label].name));
  }

  // Somebody wrote the label, not a compiler.
  bool is_written(uint32_t label) const { return !compiled_ || source_.statements[label].inline_asm; }

  // NAME+5, NAME-5, NAME@PLT+5, 5+NAME. Differences of names are tables and lengths.
  bool has_offset(const Statement &s, std::string_view name) const {
    std::string_view text = s.operands;
    size_t begin = static_cast<size_t>(name.data() - text.data()), end = begin + name.size();
    if (end < text.size() && text[end] == '@') {
      while (end < text.size() && text[end] != '+' && text[end] != '-' && text[end] != '(' && text[end] != ',') ++end;
    }
    while (end < text.size() && text[end] == ' ') ++end;
    if (end + 1 < text.size() && (text[end] == '+' || text[end] == '-')) {
      size_t number = text.find_first_not_of(' ', end + 1);
      if (number != std::string_view::npos && std::strtoull(std::string(text.substr(number)).c_str(), nullptr, 0) != 0) return true;
    }
    size_t before = text.find_last_not_of(' ', begin == 0 ? std::string_view::npos : begin - 1);
    if (begin == 0 || before == std::string_view::npos || text[before] != '+' || before == 0) return false;
    return is_digit(text[before - 1]);
  }

  Unit &unit_;
  const Source &source_;
  bool compiled_;
  std::map<uint64_t, std::pair<uint32_t, uint32_t>> starts_;  // start of a fragment -> its end, and whose it is
};

}  // namespace

void skip_exposed_code(Unit &unit) { ExposedCode(unit).run(); }

}  // namespace chord::assembly
