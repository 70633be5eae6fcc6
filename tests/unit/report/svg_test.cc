#include "report/plots/svg.h"

#include <gtest/gtest.h>

namespace chord::report {
namespace {

TEST(Svg, NamesOfProgramsAreText) {
  EXPECT_EQ(svg_label(1.25, 2, "end", "a<b&c>"), "<text x=\"1.2\" y=\"2.0\" text-anchor=\"end\">a&lt;b&amp;c></text>\n");
  EXPECT_EQ(svg_escaped("</text><script>"), "&lt;/text>&lt;script>");
}

}  // namespace
}  // namespace chord::report
