// Text of others stays text: in HTML, in JSON, whatever its bytes are.
#include "html/text/text.h"

#include <gtest/gtest.h>

namespace chord::html {
namespace {

std::string json(std::string_view text) {
  std::string out;
  put_json(out, text);
  return out;
}

std::string json(uint64_t value) {
  std::string out;
  put_json(out, value);
  return out;
}

TEST(Text, MarkupIsEscaped) {
  EXPECT_EQ(escape_html("</script><a b='c' d=\"e\">&amp;"), "&lt;/script&gt;&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;");
}

TEST(Text, WhatHidesOrReversesIsShown) {
  EXPECT_EQ(escape_html("a\xE2\x80\xAE" "b\xE2\x81\xA6" "c\x01" "d\x7F\te"), "a\\u{202E}b\\u{2066}c\\u{1}d\\u{7F}\te");
}

TEST(Text, BytesThatAreNoUtf8AreReplaced) {
  // A stray byte, a cut sequence, an overlong one, half a surrogate pair, beyond Unicode.
  EXPECT_EQ(escape_html("\xFFz"), "\xEF\xBF\xBDz");
  EXPECT_EQ(escape_html("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_html("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_html("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_html("\xF4\x90\x80\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_html("\xF0\x9F\x8E\xB5\xC3\xBC"), "\xF0\x9F\x8E\xB5\xC3\xBC");
}

TEST(Text, JsonIsValidWhateverComesIn) {
  EXPECT_EQ(json("a\"b\\c\nd\x1F"), "\"a\\\"b\\\\c\\u000ad\\u001f\"");
  EXPECT_EQ(json("\xFF"), "\"\xEF\xBF\xBD\"");
}

TEST(Text, NumbersThatJavaScriptRoundsAreStrings) {
  EXPECT_EQ(json(9007199254740991), "9007199254740991");
  EXPECT_EQ(json(9007199254740992), "\"9007199254740992\"");
  EXPECT_EQ(json(UINT64_MAX), "\"18446744073709551615\"");
}

}  // namespace
}  // namespace chord::html
