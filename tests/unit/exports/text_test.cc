// Names and paths are hostile input: whatever they hold, files stay what they are.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "exports/tables/ci.h"
#include "exports/xml.h"

namespace chord::exports {
namespace {

TEST(Xml, Markup) { EXPECT_EQ(xml_escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;"); }

TEST(Xml, NothingThatNoDocumentMayHold) {
  EXPECT_EQ(xml_escape(std::string("a\0b\x01", 4)), "a?b?");
  EXPECT_EQ(xml_escape("ä\xff\xc0\xaf"), "ä???");
  EXPECT_EQ(xml_escape("\xed\xa0\x80"), "???");  // half of a surrogate pair
  EXPECT_EQ(xml_escape("\xef\xbf\xbf"), "???");  // no character
  EXPECT_EQ(xml_escape("tab\tline\n"), "tab&#9;line&#10;");
  EXPECT_EQ(xml_escape("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(xml_escape("\xe2\x82"), "??");  // cut off
}

CheckReport report() {
  return {"prog", {{"total", true, "", "", 0}, {"f<int>, g", false, "f: 1 -> 2\n  a.c:3: 1 -> 2\n", "/work space/src/a,b:c.c", 3}}, {{"prog", 12, 3}}};
}

TEST(Ci, AnnotationsStayOneLine) {
  EXPECT_EQ(github_annotations(report(), "/work space"),
            "::error file=src/a%2Cb%3Ac.c,line=3,title=chord%3A f<int>%2C g::f: 1 -> 2%0A  a.c:3: 1 -> 2%0A\n");
}

TEST(Ci, MarkdownRowsStayRows) {
  CheckReport odd{"p", {{"a|b`c", false, "x | y\nmore", "", 0}}, {}};
  EXPECT_NE(markdown_summary(odd).find("| a\\|b\\`c |  | x \\| y<br>more |\n"), std::string::npos) << markdown_summary(odd);
}

TEST(Ci, BenchmarksAreJson) {
  EXPECT_EQ(nlohmann::json::parse(benchmark_json(report()))[0]["value"], 12);
  EXPECT_EQ(nlohmann::json::parse(bencher_json(report()))["prog"]["calls"]["value"], 3);
}

}  // namespace
}  // namespace chord::exports
