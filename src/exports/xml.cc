#include "exports/xml.h"

#include <algorithm>

namespace chord::exports {
namespace {

// Bytes of the UTF-8 sequence that begins the text; 0 if none does.
size_t sequence(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : byte(0) < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0;
  bool beyond = byte(0) == 0xf4 && byte(1) >= 0x90;
  bool noncharacter = byte(0) == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe;
  return overlong || surrogate || beyond || noncharacter ? 0 : length;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = sequence(text);
    char c = text[0];
    if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n')) {
      out.push_back('?');
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\t' || c == '\n') {
      out += c == '\t' ? "&#9;" : "&#10;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

}  // namespace chord::exports
