#include "html/text/text.h"

#include <fmt/format.h>

namespace chord::html {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr uint64_t kLargestExact = (uint64_t{1} << 53) - 1;  // Number.MAX_SAFE_INTEGER

void put_utf8(std::string &out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Characters that show nothing themselves but change how others are shown.
bool is_invisible(char32_t c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0x061C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

}  // namespace

char32_t next_character(std::string_view text, size_t &at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const size_t more = first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first >= 0xF5 || at + more > text.size()) return kReplacement;
  char32_t c = first & (0x3Fu >> more);
  for (size_t i = 0; i < more; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0) != 0x80) return kReplacement;
    c = c << 6 | (next & 0x3F);
  }
  const bool overlong = (more == 2 && c < 0x800) || (more == 3 && c < 0x10000);
  if (overlong || (c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) return kReplacement;
  at += more;
  return c;
}

void put_json(std::string &out, std::string_view text) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
    } else {
      put_utf8(out, c);
    }
  }
  out += '"';
}

void put_json(std::string &out, uint64_t value) {
  if (value <= kLargestExact) {
    out += fmt::format_int(value).c_str();
  } else {
    out += fmt::format("\"{}\"", value);
  }
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (is_invisible(c)) {
          out += fmt::format("\\u{{{:X}}}", static_cast<uint32_t>(c));
        } else {
          put_utf8(out, c);
        }
    }
  }
  return out;
}

}  // namespace chord::html
