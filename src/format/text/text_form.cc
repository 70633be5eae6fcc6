#include "format/text/text_form.h"

#include <fmt/core.h>

#include <charconv>

namespace chord::format {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Reads one escape after a backslash; false if it is malformed.
bool unescape(std::string_view &in, std::string &out) {
  if (in.empty()) return false;
  char c = in[0];
  in.remove_prefix(1);
  switch (c) {
    case '"':
    case '\\':
      out.push_back(c);
      return true;
    case 'n':
      out.push_back('\n');
      return true;
    case 't':
      out.push_back('\t');
      return true;
    case 'x': {
      if (in.size() < 2) return false;
      int high = hex_digit(in[0]), low = hex_digit(in[1]);
      in.remove_prefix(2);
      if (high < 0 || low < 0) return false;
      out.push_back(static_cast<char>(high * 16 + low));
      return true;
    }
    default:
      return false;
  }
}

void skip_blanks(std::string_view &in) {
  in.remove_prefix(std::min(in.find_first_not_of(" \t\r"), in.size()));
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(c));
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c >= 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out.push_back(static_cast<char>(c));
    }
  }
  out.push_back('"');
  return out;
}

bool TextReader::next_line() {
  while (error_.empty() && !rest_.empty()) {
    if (!at_line_end()) {
      fail("more values than expected");
      return false;
    }
    size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    skip_blanks(line_);
    if (line_.starts_with('#')) line_ = {};
    if (line_.empty()) continue;
    keyword_ = word();
    return true;
  }
  if (error_.empty() && !at_line_end()) fail("more values than expected");
  return false;
}

bool TextReader::at_line_end() {
  skip_blanks(line_);
  return line_.empty();
}

std::string_view TextReader::word() {
  skip_blanks(line_);
  std::string_view found = line_.substr(0, std::min(line_.find_first_of(" \t\r"), line_.size()));
  line_.remove_prefix(found.size());
  return found;
}

uint64_t TextReader::number(uint64_t limit) {
  std::string_view text = word();
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (problem != std::errc() || end != text.data() + text.size() || value > limit) {
    fail("a number was expected, or it is too big");
  }
  return error_.empty() ? value : 0;
}

std::string TextReader::string() {
  skip_blanks(line_);
  std::string out;
  if (!line_.starts_with('"')) {
    fail("a string in quotes was expected");
    return out;
  }
  line_.remove_prefix(1);
  while (!line_.empty() && line_[0] != '"') {
    char c = line_[0];
    line_.remove_prefix(1);
    if (c != '\\') {
      out.push_back(c);
    } else if (!unescape(line_, out)) {
      fail("malformed escape in a string");
      return {};
    }
  }
  if (line_.empty()) {
    fail("a string has no closing quote");
    return {};
  }
  line_.remove_prefix(1);
  return out;
}

size_t TextReader::choice(const std::vector<std::string_view> &names) {
  std::string_view found = word();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == found) return i;
  }
  fail(fmt::format("'{}' is not known here", found));
  return 0;
}

void TextReader::fail(std::string_view what) {
  if (error_.empty()) error_ = fmt::format("line {}: {}", number_, what);
  rest_ = line_ = {};
}

}  // namespace chord::format
