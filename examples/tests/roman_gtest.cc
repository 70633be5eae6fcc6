#include <chord/chord.h>
#include <gtest/gtest.h>

#include <string>

#include "roman.h"

namespace {

TEST(Roman, Parse) { EXPECT_EQ(roman_parse("XLII"), 42); }

TEST(Roman, Write) {
  char text[16];
  ASSERT_TRUE(roman_write(42, text));
  EXPECT_STREQ(text, "XLII");
}

TEST(Roman, Limits) {
  char text[16];
  EXPECT_FALSE(roman_write(4000, text));
}

struct Marks : testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo &info) override { chord_mark((std::string(info.test_suite_name()) + "." + info.name()).c_str()); }
  void OnTestEnd(const testing::TestInfo &) override { chord_mark(""); }
};

}  // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new Marks);
  return RUN_ALL_TESTS();
}
