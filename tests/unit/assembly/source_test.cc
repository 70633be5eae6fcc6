#include "assembly/text/source.h"

#include <gtest/gtest.h>

namespace chord::assembly {
namespace {

std::vector<std::string> pieces(const std::string &text) {
  Source s;
  read_source(text, s);
  std::vector<std::string> out;
  for (const Statement &x : s.statements) out.push_back(s.text.substr(x.begin, x.end - x.begin));
  return out;
}

TEST(Source, CutsStatements) {
  EXPECT_EQ(pieces("a: b: movl $1, %eax # c; d\n\tret; nop\n"),
            (std::vector<std::string>{"a:", "b:", "movl $1, %eax", "ret", "nop"}));
}
TEST(Source, StringsAndCommentsHideSeparators) {
  EXPECT_EQ(pieces(".string \"a;b#c\\\"d\"\n/* x\n y; */ ret\n"),
            (std::vector<std::string>{".string \"a;b#c\\\"d\"", "ret"}));
}
TEST(Source, FollowsSections) {
  Source s;
  read_source("nop\n.section .rodata.x,\"aG\",@progbits,grp,comdat\n.long 1\n.previous\nnop\n"
              ".pushsection .data\n.long 2\n.popsection\nnop\n", s);
  EXPECT_EQ(s.sections[s.statements[0].section].name, ".text");
  EXPECT_EQ(s.sections[s.statements[2].section].group, "grp");
  EXPECT_FALSE(s.sections[s.statements[2].section].executable);
  EXPECT_EQ(s.statements[4].section, s.statements[0].section);
  EXPECT_EQ(s.sections[s.statements[6].section].name, ".data");
  EXPECT_EQ(s.statements[8].section, s.statements[0].section);
}
TEST(Source, NotesPreprocessing) {
  Source s;
  read_source(".macro m\nnop\n.endm\nm\n", s);
  EXPECT_EQ(s.preprocessing, ".macro");
}
TEST(Source, SurvivesRubbish) {
  for (const char *text : {"", "\"", "'", "/*", ".section", ".popsection", ".section ,\"", "a", ":", "\\", "#", "=="}) {
    Source s;
    read_source(text, s);
  }
}
TEST(Operands, SplitAtTopLevelCommas) {
  EXPECT_EQ(split_operands("a, b(c,d), \"e,f\""), (std::vector<std::string_view>{"a", "b(c,d)", "\"e,f\""}));
  EXPECT_TRUE(split_operands("").empty());
}
TEST(Operands, FirstSymbol) {
  EXPECT_EQ(first_symbol(".L4-.LBASE"), ".L4");
  EXPECT_EQ(first_symbol("*foo@GOTPCREL(%rip)"), "foo");
  EXPECT_EQ(first_symbol("$.L5"), ".L5");
  EXPECT_EQ(first_symbol("%rax"), "");
}

}  // namespace
}  // namespace chord::assembly
