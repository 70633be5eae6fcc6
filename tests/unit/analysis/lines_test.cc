#include "analysis/source/lines.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/analysis/sample_program.h"

namespace chord::analysis {
namespace {

std::map<uint32_t, LineCount> lines_of(Object object, const format::Segment &segment) {
  std::vector<Object> objects;
  objects.push_back(std::move(object));
  Program program = count_program(std::move(objects), {&segment});
  std::map<uint32_t, LineCount> lines;
  for (const LineCount &line : count_lines(program).lines) lines[line.line] = line;
  return lines;
}

TEST(Lines, ForLoopOverSeveralLines) {
  // Line 2 is the loop's head: begun twice, come back to from line 4 ten times.
  std::map<uint32_t, LineCount> lines = lines_of(loop_object(), loop_segment(2, 10));
  EXPECT_EQ(lines[1].count, 2u);
  EXPECT_EQ(lines[2].count, 12u);
  EXPECT_EQ(lines[2].executed, 2u + 2 + 12 + 12);
  EXPECT_EQ(lines[2].instructions, 4u);
  EXPECT_EQ(lines[3].count, 10u);
  EXPECT_EQ(lines[4].count, 10u);
  EXPECT_EQ(lines[5].count, 2u);
}

TEST(Lines, ForLoopOnOneLine) {
  // The same, written on one line: its repetitions count.
  Object object = loop_object();
  for (format::Instruction &i : object.units[0].procedures[0].instructions) {
    if (i.line >= 2 && i.line <= 4) i.line = 2;
  }
  std::map<uint32_t, LineCount> lines = lines_of(std::move(object), loop_segment(2, 10));
  EXPECT_EQ(lines[2].count, 12u);
  EXPECT_EQ(lines[5].count, 2u);
}

TEST(Lines, GoingToAndFroInStraightCodeIsOneVisit) {
  Object object = loop_object();
  std::vector<format::Instruction> &all = object.units[0].procedures[0].instructions;
  all[0].line = 1, all[1].line = 2, all[2].line = 1;
  all[5].line = all[6].line = 6;
  std::map<uint32_t, LineCount> lines = lines_of(std::move(object), loop_segment(2, 10));
  EXPECT_EQ(lines[1].count, 2u);
  EXPECT_EQ(lines[2].count, 2u);
  EXPECT_EQ(lines[6].count, 12u);
}

TEST(Lines, InstructionsWithoutALineAreTransparent) {
  Object object = loop_object();
  object.units[0].procedures[0].instructions[1].line = 0;
  std::map<uint32_t, LineCount> lines = lines_of(std::move(object), loop_segment(2, 10));
  EXPECT_EQ(lines[2].count, 12u);
  EXPECT_EQ(lines.count(0), 0u);
}

TEST(Lines, CopiesOfALineAddUp) {
  Object object = loop_object();
  object.units.push_back(loop_unit());
  object.units[1].procedures[0].key = 0x3333;
  format::Anchor anchor = loop_anchor();
  anchor.key = 0x3333;
  anchor.parts[0].address += 0x1000;
  object.anchors.push_back(anchor);
  format::Segment segment = loop_segment(2, 10);
  segment.modules[0].procedures.push_back({0x3333, {1, 5}});
  std::map<uint32_t, LineCount> lines = lines_of(std::move(object), segment);
  EXPECT_EQ(lines[3].count, 15u);
  EXPECT_EQ(lines[2].count, 18u);
}

TEST(Lines, FilesAreKnownByTheirAbsolutePath) {
  Object object = loop_object();
  object.units.push_back(loop_unit());
  object.units[1].folder = "/src/sub";
  object.units[1].files = {"../loop.c", "/src/loop.c", "other.c"};
  std::vector<Object> objects;
  objects.push_back(std::move(object));
  format::Segment segment = loop_segment(1, 1);
  Program program = count_program(std::move(objects), {&segment});
  FileTable files(program);
  ASSERT_EQ(files.files().size(), 2u);
  EXPECT_EQ(files.files()[0].path, "/src/loop.c");
  EXPECT_EQ(files.files()[1].path, "/src/sub/other.c");
}

}  // namespace
}  // namespace chord::analysis
