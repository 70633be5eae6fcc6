#include "format/map/statement_shapes.h"

#include <charconv>

namespace chord::format {
namespace {

// Bytes that no sane statement holds. A text that does hold one is kept whole
// after kVerbatim.
constexpr char kNumberSlot = '\x01';
constexpr char kVerbatim = '\x02';
constexpr char kLabelSlot = '\x03';

// Longest decimal number that always fits 64 bits.
constexpr size_t kMaxDigits = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.' ||
         c == '$' || c == '@' || static_cast<unsigned char>(c) >= 0x80;
}

bool holds_reserved_byte(std::string_view text) {
  for (char c : text) {
    if (c == kNumberSlot || c == kVerbatim || c == kLabelSlot) return true;
  }
  return false;
}

// Moves the digits of `word` into slots where that can be undone: a number with
// a leading zero or too many digits stays as it is.
void split_digits(std::string_view word, bool label, SplitStatement &out) {
  for (size_t i = 0; i < word.size();) {
    if (!is_digit(word[i])) {
      out.shape.push_back(word[i++]);
      continue;
    }
    size_t end = i;
    while (end < word.size() && is_digit(word[end])) ++end;
    std::string_view digits = word.substr(i, end - i);
    i = end;
    if (digits.size() > kMaxDigits || (digits.size() > 1 && digits[0] == '0')) {
      out.shape.append(digits);
      continue;
    }
    uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    out.shape.push_back(label ? kLabelSlot : kNumberSlot);
    out.slots.push_back({label, value});
  }
}

bool all_digits(std::string_view word) {
  for (char c : word) {
    if (!is_digit(c)) return false;
  }
  return true;
}

}  // namespace

SplitStatement split_statement(std::string_view text) {
  SplitStatement out;
  if (holds_reserved_byte(text)) {
    out.shape = kVerbatim;
    out.shape.append(text);
    return out;
  }
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    // '$' starts an immediate in AT&T syntax, so it is part of a name only inside one.
    while (end < text.size() && is_name_char(text[end]) && !(end == i && text[end] == '$')) ++end;
    if (end == i) {
      out.shape.push_back(text[i++]);
      continue;
    }
    std::string_view word = text.substr(i, end - i);
    i = end;
    // Registers, symbols and mnemonics keep their digits: they are names.
    if (word.starts_with(".L")) {
      split_digits(word, true, out);
    } else if (all_digits(word)) {
      split_digits(word, false, out);
    } else {
      out.shape.append(word);
    }
  }
  return out;
}

std::vector<bool> slots_of(std::string_view shape) {
  std::vector<bool> kinds;
  if (!shape.empty() && shape[0] == kVerbatim) return kinds;
  for (char c : shape) {
    if (c == kNumberSlot || c == kLabelSlot) kinds.push_back(c == kLabelSlot);
  }
  return kinds;
}

std::string join_statement(std::string_view shape, const std::vector<uint64_t> &values) {
  if (!shape.empty() && shape[0] == kVerbatim) return std::string(shape.substr(1));
  std::string text;
  text.reserve(shape.size() + 4 * values.size());
  size_t next = 0;
  for (char c : shape) {
    if ((c != kNumberSlot && c != kLabelSlot) || next == values.size()) {
      text.push_back(c);
      continue;
    }
    char digits[20];
    char *end = std::to_chars(digits, digits + sizeof digits, values[next++]).ptr;
    text.append(digits, end);
  }
  return text;
}

}  // namespace chord::format
