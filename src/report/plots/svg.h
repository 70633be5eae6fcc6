// Parts of the studies' plots: plain SVG, no script.
#pragma once

#include <string>

namespace chord::report {

// Text as XML has it.
std::string svg_escaped(const std::string &text);

// Text at a place, turned around it by so many degrees; the anchor is one of SVG's: start, middle or end.
std::string svg_label(double x, double y, const char *anchor, const std::string &text, double turned = 0);

}  // namespace chord::report
