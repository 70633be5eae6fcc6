#include "report/plots/svg.h"

#include <fmt/core.h>

namespace chord::report {

std::string svg_escaped(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string svg_label(double x, double y, const char *anchor, const std::string &text, double turned) {
  std::string turn = turned == 0 ? "" : fmt::format(" transform=\"rotate({:.0f} {:.1f} {:.1f})\"", turned, x, y);
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, turn, svg_escaped(text));
}

}  // namespace chord::report
