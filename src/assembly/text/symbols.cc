#include "assembly/text/symbols.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace chord::assembly {
namespace {

bool is_word_directive(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {".quad", ".long",  ".8byte", ".4byte", ".int",
                                                              ".word", ".2byte", ".value", ".short", ".dc.a"};
  for (std::string_view n : kNames) {
    if (n == name) return true;
  }
  return false;
}

bool is_numeric_label(std::string_view name) {
  for (char c : name) {
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !name.empty();
}

bool is_exception_table(const Section &s) { return s.name.starts_with(".gcc_except_table"); }

class Indexer {
 public:
  Indexer(const Source &source, Symbols &out) : source_(source), out_(out) {}

  void run() {
    names();
    tables();
    exception_tables();
    instructions();
  }

 private:
  const Section &section(const Statement &s) const { return source_.sections[s.section]; }

  void names() {
    for (uint32_t i = 0; i < source_.statements.size(); ++i) {
      const Statement &s = source_.statements[i];
      if (s.kind == StatementKind::label) {
        if (!is_numeric_label(s.name)) out_.labels.emplace(s.name, i);
      } else if (s.kind == StatementKind::directive) {
        directive(s);
      }
    }
  }

  void directive(const Statement &s) {
    if (s.name == ".type") {
      std::vector<std::string_view> parts = split_operands(s.operands);
      if (parts.size() != 2) return;
      bool resolved = parts[1].find("gnu_indirect_function") != std::string_view::npos ||
                      parts[1].find("STT_GNU_IFUNC") != std::string_view::npos;
      if (resolved) out_.resolved.insert(parts[0]);
      if (resolved || parts[1].find("function") != std::string_view::npos ||
          parts[1].find("STT_FUNC") != std::string_view::npos) {
        out_.functions.insert(parts[0]);
      }
    } else if (s.name == ".globl" || s.name == ".global" || s.name == ".weak") {
      for (std::string_view name : split_operands(s.operands)) out_.globals.insert(name);
    } else if (s.name == ".file" && out_.unit.empty() && s.operands.starts_with('"')) {
      out_.unit = quoted_strings(s.operands)[0];
    }
  }

  // A label inside code that is not the start of a function.
  bool is_inner_label(std::string_view name) const {
    auto it = out_.labels.find(name);
    if (it == out_.labels.end() || out_.functions.contains(name)) return false;
    return section(source_.statements[it->second]).executable;
  }

  void tables() {
    Table *open = nullptr;
    std::vector<std::string_view> last_label(source_.sections.size());
    uint32_t table_section = 0;
    for (uint32_t i = 0; i < source_.statements.size(); ++i) {
      const Statement &s = source_.statements[i];
      const Section &in = section(s);
      if (!in.loaded || in.debug || is_exception_table(in)) continue;
      if (s.kind == StatementKind::label) {
        last_label[s.section] = s.name;
        open = nullptr;
        continue;
      }
      if (s.kind != StatementKind::directive || !is_word_directive(s.name)) continue;
      std::vector<std::string_view> words = split_operands(s.operands);
      for (uint32_t k = 0; k < words.size(); ++k) {
        std::string_view label = first_symbol(words[k]);
        if (label.empty() || !is_inner_label(label)) continue;
        if (open == nullptr || table_section != s.section) {
          table_section = s.section;
          open = &add_table(last_label[s.section]);
        }
        open->entries.push_back({i, k, label});
        size_t minus = words[k].find('-');
        if (minus != std::string_view::npos) add_base(*open, trim(words[k].substr(minus + 1)));
      }
    }
  }

  Table &add_table(std::string_view name) {
    Table t;
    t.name = name;
    t.compiler_made = name.starts_with(".L");
    if (!name.empty()) out_.table_named.emplace(name, static_cast<uint32_t>(out_.tables.size()));
    return out_.tables.emplace_back(t);
  }

  void add_base(Table &table, std::string_view base) {
    out_.bases.insert(base);
    if (is_inner_label(base) && std::find(table.bases.begin(), table.bases.end(), base) == table.bases.end()) {
      table.bases.push_back(base);
    }
  }

  // The call-site table of a language-specific data area: records of four numbers
  // (start, length, landing pad, action) after the label B in ".uleb128 E-B; B:".
  void exception_tables() {
    std::vector<std::pair<uint32_t, std::string_view>> numbers;  // since the last table start
    bool inside = false;
    std::string_view last_difference, table_end;
    for (uint32_t i = 0; i < source_.statements.size(); ++i) {
      const Statement &s = source_.statements[i];
      if (!is_exception_table(section(s))) continue;
      if (s.kind == StatementKind::label) {
        if (s.name == table_end) inside = false;
        size_t minus = last_difference.find('-');
        if (minus != std::string_view::npos && trim(last_difference.substr(minus + 1)) == s.name) {
          inside = true;
          table_end = trim(last_difference.substr(0, minus));
          numbers.clear();
        }
        last_difference = {};
        continue;
      }
      if (s.kind != StatementKind::directive) continue;
      bool number = s.name == ".uleb128" || s.name == ".byte" || is_word_directive(s.name);
      if (!number) continue;
      last_difference = s.operands;
      if (!inside) continue;
      numbers.emplace_back(i, s.operands);
      if (numbers.size() % 4 == 3) {
        std::string_view label = first_symbol(s.operands);
        if (is_inner_label(label)) out_.landing_pads.push_back({i, 0, label});
      }
    }
  }

  void instructions() {
    for (uint32_t i = 0; i < source_.statements.size(); ++i) {
      const Statement &s = source_.statements[i];
      if (s.kind != StatementKind::instruction || s.operands.empty()) continue;
      if (s.name.starts_with('j') || s.name.starts_with("call") || s.name.starts_with("loop")) continue;
      if (s.operands.find(".L") == std::string_view::npos && !s.inline_asm) continue;
      std::vector<std::string_view> operands = split_operands(s.operands);
      for (uint32_t k = 0; k < operands.size(); ++k) {
        std::string_view label = first_symbol(operands[k]);
        if (!label.empty() && is_inner_label(label) && !out_.bases.contains(label)) out_.taken.push_back({i, k, label});
      }
    }
  }

  const Source &source_;
  Symbols &out_;
};

}  // namespace

uint32_t Symbols::find_label(const Source &source, std::string_view name, uint32_t from) const {
  if (name.size() >= 2 && is_numeric_label(name.substr(0, name.size() - 1)) &&
      (name.back() == 'b' || name.back() == 'f')) {
    std::string_view number = name.substr(0, name.size() - 1);
    bool forward = name.back() == 'f';
    for (uint32_t i = from; forward ? i < source.statements.size() : i != kNoStatement; forward ? ++i : --i) {
      const Statement &s = source.statements[i];
      if (s.kind == StatementKind::label && s.name == number) return i;
    }
    return kNoStatement;
  }
  auto it = labels.find(name);
  return it == labels.end() ? kNoStatement : it->second;
}

Symbols index_symbols(const Source &source) {
  Symbols out;
  Indexer(source, out).run();
  return out;
}

}  // namespace chord::assembly
