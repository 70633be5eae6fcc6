#include "report/source/annotate.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "unit/analysis/sample_program.h"

namespace chord::report {
namespace {

analysis::Program sample(const std::string &folder, uint64_t rounds) {
  format::Segment segment = analysis::loop_segment(2, rounds);
  std::vector<analysis::Object> objects;
  objects.push_back(analysis::loop_object());
  objects[0].units[0].folder = folder;
  return analysis::count_program(std::move(objects), {&segment});
}

class Annotate : public ::testing::Test {
 protected:
  void SetUp() override {
    base::write_file(folder_.file("loop.c"),
                     "void loop(void) {\n  for (;;) {\n    helper();\n    more();\n}}\n// end\n");
  }
  base::TempFolder folder_;
};

TEST_F(Annotate, SourceWithCounts) {
  Annotated out = annotate(sample(folder_.path(), 0), {"loop.c", false}, {});
  EXPECT_EQ(out.text,
            "loop.c\n"
            "              2 |     1  void loop(void) {\n"
            "              2 |     2    for (;;) {\n"
            "          ##### |     3      helper();\n"
            "          ##### |     4      more();\n"
            "              2 |     5  }}\n"
            "                |     6  // end\n");
}

TEST_F(Annotate, AFunctionIsItsLines) {
  Annotated out = annotate(sample(folder_.path(), 10), {"loop", false}, {});
  EXPECT_NE(out.text.find("             10 |     3      helper();\n"), std::string::npos) << out.text;
  EXPECT_EQ(out.text.find("// end"), std::string::npos);
}

TEST_F(Annotate, InstructionsUnderTheirLines) {
  Annotated out = annotate(sample(folder_.path(), 10), {"loop", true}, {});
  size_t line = out.text.find("helper();"), call = out.text.find("call helper");
  ASSERT_NE(call, std::string::npos) << out.text;
  EXPECT_LT(line, call);
  EXPECT_LT(call, out.text.find("more();"));
}

TEST_F(Annotate, WithoutSourceTheCountsRemain) {
  Annotated out = annotate(sample("/nowhere", 10), {"loop.c", true}, {});
  ASSERT_EQ(out.warnings.size(), 1u);
  EXPECT_NE(out.warnings[0].find("/nowhere/loop.c"), std::string::npos);
  EXPECT_NE(out.text.find("call helper"), std::string::npos);
}

TEST_F(Annotate, UnknownTargetsAreAnError) {
  EXPECT_THROW(annotate(sample(folder_.path(), 1), {"no_such_thing", false}, {}), base::Error);
}

TEST_F(Annotate, TableOfAFunction) {
  Table table = annotation_table(sample(folder_.path(), 10), {"loop", false});
  EXPECT_EQ(table.rows(), 5u);
  EXPECT_EQ(table.at(1, table.column("count")).number, 12u);
}

}  // namespace
}  // namespace chord::report
