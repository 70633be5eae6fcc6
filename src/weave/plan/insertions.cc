#include "weave/plan/insertions.h"

namespace chord::weave {

std::string without_unwind_lines(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    std::string_view line = text.substr(at, end + 1 - at);
    if (line.find(".cfi_") == std::string_view::npos) out += line;
    at = end + 1;
  }
  return out;
}

void strip_unwind_lines(isa::Snippet &snippet) {
  std::string lead = without_unwind_lines(snippet.lead()), rest = without_unwind_lines(snippet.rest());
  snippet.tail = rest.size();
  snippet.text = lead + rest;
}

}  // namespace chord::weave
