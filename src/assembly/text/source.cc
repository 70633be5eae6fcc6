#include "assembly/text/source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>

namespace chord::assembly {
namespace {

bool is_symbol_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 14> kPreprocessing = {
    ".macro", ".if",  ".ifdef", ".ifndef", ".ifeq",      ".ifne",   ".rept",
    ".irp",   ".irpc", ".include", ".altmacro", ".ifc", ".ifb", ".subsection"};

// Cuts the text. One pass, no backtracking.
class Lexer {
 public:
  explicit Lexer(Source &out) : out_(out), text_(out.text) {}

  void run() {
    while (at_ < text_.size()) statement();
  }

 private:
  void statement() {
    skip_blanks();
    if (at_ >= text_.size()) return;
    char c = text_[at_];
    if (c == '\n' || c == ';') {
      line_ += c == '\n';
      ++at_;
    } else if (c == '#' || (c == '/' && at_line_start_)) {
      comment();
    } else {
      words();
    }
  }

  void skip_blanks() {
    at_line_start_ = at_ == 0 || text_[at_ - 1] == '\n';
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '*') {
        block_comment();
      } else {
        return;
      }
    }
  }

  void block_comment() {
    size_t end = text_.find("*/", at_ + 2);
    end = end == std::string_view::npos ? text_.size() : end + 2;
    for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
  }

  void comment() {
    size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    std::string_view body = text_.substr(at_, end - at_);
    if (body.starts_with("#APP")) inline_asm_ = true;
    if (body.starts_with("#NO_APP")) inline_asm_ = false;
    at_ = end;
  }

  // A label or everything up to the end of the statement.
  void words() {
    size_t begin = at_;
    size_t end = word_end(begin);
    size_t next = end;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t')) ++next;
    if (end > begin && next < text_.size() && text_[next] == ':') {
      add(StatementKind::label, begin, next + 1, text_.substr(begin, end - begin), {});
      at_ = next + 1;
      return;
    }
    size_t stop = statement_end(begin);
    size_t last = stop;
    while (last > begin && std::isspace(static_cast<unsigned char>(text_[last - 1]))) --last;
    std::string_view name = text_.substr(begin, end - begin);
    std::string_view rest = trim(text_.substr(end, last - end));
    StatementKind kind = StatementKind::instruction;
    if (rest.starts_with('=') && !rest.starts_with("==")) {
      kind = StatementKind::assignment;
    } else if (name.starts_with('.')) {
      kind = StatementKind::directive;
    }
    add(kind, begin, last, name, rest);
    at_ = stop;
  }

  size_t word_end(size_t from) const {
    if (text_[from] == '"') return string_end(from);
    while (from < text_.size() && is_symbol_char(text_[from])) ++from;
    return from;
  }

  size_t string_end(size_t from) const {
    for (++from; from < text_.size(); ++from) {
      if (text_[from] == '\\') {
        ++from;
      } else if (text_[from] == '"') {
        return from + 1;
      }
    }
    return text_.size();
  }

  // Position of the newline, semicolon or comment that ends the statement.
  size_t statement_end(size_t from) {
    size_t i = from;
    while (i < text_.size()) {
      char c = text_[i];
      if (c == '\n' || c == ';' || c == '#') return i;
      if (c == '"') {
        i = string_end(i);
      } else if (c == '\'' && i + 1 < text_.size()) {
        i += text_[i + 1] == '\\' ? 3 : 2;  // a character constant
      } else if (c == '/' && i + 1 < text_.size() && text_[i + 1] == '*') {
        return i;
      } else {
        ++i;
      }
    }
    return text_.size();
  }

  void add(StatementKind kind, size_t begin, size_t end, std::string_view name, std::string_view operands) {
    Statement s;
    s.kind = kind;
    s.inline_asm = inline_asm_;
    s.begin = static_cast<uint32_t>(begin);
    s.end = static_cast<uint32_t>(end);
    s.line = line_;
    s.name = name;
    s.operands = operands;
    for (size_t i = begin; i < end; ++i) line_ += text_[i] == '\n';
    out_.statements.push_back(s);
  }

  Source &out_;
  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool inline_asm_ = false;
  bool at_line_start_ = true;
};

// Follows the section directives and the syntax in force.
class SectionTracker {
 public:
  explicit SectionTracker(Source &source) : source_(source) { enter(".text", ""); }

  void visit(Statement &s) {
    if (s.kind == StatementKind::directive) directive(s);
    s.section = current_;
    s.intel_syntax = intel_;
  }

 private:
  void directive(const Statement &s) {
    if (s.name == ".text" || s.name == ".data" || s.name == ".bss") {
      if (!s.operands.empty() && s.operands != "0") note_preprocessing(s.name);
      enter(s.name, s.operands);
    } else if (s.name == ".section") {
      enter_named(s.operands);
    } else if (s.name == ".pushsection") {
      stack_.push_back({current_, previous_});
      enter_named(s.operands);
    } else if (s.name == ".popsection") {
      if (!stack_.empty()) {
        std::tie(current_, previous_) = stack_.back();
        stack_.pop_back();
      }
    } else if (s.name == ".previous") {
      std::swap(current_, previous_);
    } else if (s.name == ".intel_syntax") {
      intel_ = true;
    } else if (s.name == ".att_syntax") {
      intel_ = false;
    } else {
      for (std::string_view p : kPreprocessing) {
        if (s.name == p) note_preprocessing(p);
      }
    }
  }

  void note_preprocessing(std::string_view name) {
    if (source_.preprocessing.empty()) source_.preprocessing = name;
  }

  void enter_named(std::string_view operands) {
    std::vector<std::string_view> parts = split_operands(operands);
    if (parts.empty()) return;
    std::string_view name = parts[0];
    if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
    enter(name, operands);
  }

  void enter(std::string_view name, std::string_view arguments) {
    std::vector<std::string_view> parts = split_operands(arguments);
    std::string_view flags = parts.size() > 1 ? parts[1] : std::string_view{};
    std::string_view group;
    if (flags.find('G') != std::string_view::npos && parts.size() > 3) group = parts[3];
    std::string key = std::string(name) + '\n' + std::string(group);
    // Sections told apart by ,unique,N or by the section they are linked to.
    for (size_t i = 3; i < parts.size(); ++i) key += '\n' + std::string(parts[i]);
    auto [it, fresh] = known_.try_emplace(key, static_cast<uint32_t>(source_.sections.size()));
    if (fresh) source_.sections.push_back(describe(name, flags, group, arguments));
    if (it->second != current_) previous_ = current_;
    current_ = it->second;
  }

  static Section describe(std::string_view name, std::string_view flags, std::string_view group,
                          std::string_view arguments) {
    Section s;
    s.name = name;
    s.group = group;
    s.arguments = arguments;
    bool text = name == ".text" || name.starts_with(".text.") || name == ".init" || name == ".fini";
    bool data = name == ".data" || name == ".bss" || name == ".rodata" || name.starts_with(".data.") ||
                name.starts_with(".rodata.") || name.starts_with(".bss.");
    s.executable = flags.empty() ? text : flags.find('x') != std::string_view::npos;
    s.loaded = flags.empty() ? text || data : flags.find('a') != std::string_view::npos;
    s.debug = name.starts_with(".debug") || name.starts_with(".stab") || name.starts_with(".gnu.lto") ||
              name.starts_with(".note") || name == ".comment" || name == ".eh_frame";
    return s;
  }

  Source &source_;
  std::map<std::string, uint32_t> known_;
  std::vector<std::pair<uint32_t, uint32_t>> stack_;
  uint32_t current_ = 0;
  uint32_t previous_ = 0;
  bool intel_ = false;
};

}  // namespace

std::string_view trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

bool is_harmless_mention(const Statement &s) {
  static constexpr std::string_view kNames[] = {".type", ".size",  ".local",  ".uleb128", ".sleb128",
                                                ".loc",  ".file", ".string", ".ascii"};
  return s.kind == StatementKind::directive &&
         (s.name.starts_with(".cfi_") || std::find(std::begin(kNames), std::end(kNames), s.name) != std::end(kNames));
}

SourceLine line_of_loc(const Statement &statement) {
  auto number = [](std::string_view s) {
    uint32_t value = 0;
    std::from_chars(s.data(), s.data() + s.size(), value);
    return value;
  };
  std::string_view rest = statement.operands;
  size_t blank = rest.find_first_of(" \t");
  return {number(rest.substr(0, blank)), blank == std::string_view::npos ? 0 : number(trim(rest.substr(blank)))};
}

bool is_alignment(const Statement &s) {
  return s.kind == StatementKind::directive &&
         (s.name.starts_with(".p2align") || s.name.starts_with(".align") || s.name.starts_with(".balign"));
}

std::optional<Alias> alias_in(const Statement &s) {
  if (s.kind == StatementKind::assignment) return Alias{s.name, trim(s.operands.substr(1))};
  if (s.kind != StatementKind::directive || (s.name != ".set" && s.name != ".equ" && s.name != ".equiv")) return std::nullopt;
  std::vector<std::string_view> operands = split_operands(s.operands);
  return operands.size() == 2 ? std::optional(Alias{operands[0], operands[1]}) : std::nullopt;
}

std::vector<std::string_view> split_operands(std::string_view operands) {
  std::vector<std::string_view> out;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    char c = operands[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      out.push_back(trim(operands.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  std::string_view last = trim(operands.substr(begin));
  if (!last.empty() || !out.empty()) out.push_back(last);
  return out;
}

std::string_view first_symbol(std::string_view e) {
  size_t i = 0;
  while (i < e.size() && !is_symbol_char(e[i]) && e[i] != '%' && e[i] != '"') ++i;
  if (i >= e.size() || e[i] == '%') return {};
  if (e[i] == '"') {
    size_t close = e.find('"', i + 1);
    return close == std::string_view::npos ? std::string_view{} : e.substr(i, close - i + 1);
  }
  if (e[i] == '$') ++i;
  size_t end = i;
  while (end < e.size() && is_symbol_char(e[end])) ++end;
  return e.substr(i, end - i);
}

std::vector<std::string_view> symbols_in(std::string_view operands) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < operands.size();) {
    size_t end = i;
    while (end < operands.size() && is_symbol_char(operands[end])) ++end;
    bool is_register = i > 0 && operands[i - 1] == '%';
    if (operands[i] == '$' && end > i) ++i;
    if (end > i && !is_register) out.push_back(operands.substr(i, end - i));
    i = end + 1;
  }
  return out;
}

namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// What stands after a backslash at `i`; `i` is left at its last character.
char escaped(std::string_view text, size_t &i) {
  unsigned value = 0;
  if (is_octal(text[i])) {
    size_t end = std::min(i + 3, text.size());
    for (; i < end && is_octal(text[i]); ++i) value = value * 8 + static_cast<unsigned>(text[i] - '0');
    --i;
    return static_cast<char>(value);
  }
  if (text[i] == 'x' || text[i] == 'X') {
    while (i + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i + 1]))) {
      char c = static_cast<char>(std::tolower(static_cast<unsigned char>(text[++i])));
      value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return static_cast<char>(value);
  }
  constexpr std::string_view kLetters = "bfnrt", kMeanings = "\b\f\n\r\t";
  size_t letter = kLetters.find(text[i]);
  return letter == std::string_view::npos ? text[i] : kMeanings[letter];
}

}  // namespace

std::vector<std::string> quoted_strings(std::string_view operands) {
  std::vector<std::string> out;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != '"') continue;
    std::string &text = out.emplace_back();
    for (++i; i < operands.size() && operands[i] != '"'; ++i) {
      text += operands[i] == '\\' && i + 1 < operands.size() ? escaped(operands, ++i) : operands[i];
    }
  }
  return out;
}

void read_source(std::string text, Source &source) {
  source.text = std::move(text);
  source.statements.reserve(source.text.size() / 16);
  Lexer(source).run();
  SectionTracker sections(source);
  for (Statement &s : source.statements) sections.visit(s);
}

}  // namespace chord::assembly
