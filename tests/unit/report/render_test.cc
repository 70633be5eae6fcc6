#include "report/tables/render.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace chord::report {
namespace {

Table sample() {
  Table t;
  t.by = "thing";
  t.columns = {{"name", "name", true}, {"count", "count"}, {"share", "share"}, {"exact", ""}};
  t.text_order = {1, 2, 0};
  t.weight = 1;
  t.add({text("a \"quoted\", name"), number(1234567), share(1, 3), flag(true)});
  t.add({text("tab\there"), Cell{}, share(0, 0), flag(false)});
  return t;
}

TEST(Render, OneIsNotMany) {
  EXPECT_EQ(counted(0, "call"), "0 calls");
  EXPECT_EQ(counted(1, "call"), "1 call");
  EXPECT_EQ(counted(1204, "call"), "1,204 calls");
}

TEST(Render, TextIsAlignedAndGrouped) {
  EXPECT_EQ(render_text(sample(), {}),
            "    count  share  name\n"
            "1,234,567  33.3%  a \"quoted\", name\n"
            "        ?   0.0%  tab here\n");
}

TEST(Render, TextFitsTheTerminal) {
  std::string out = render_text(sample(), {31, false});
  EXPECT_NE(out.find("a \"quoted\", …\n"), std::string::npos) << out;
}

TEST(Render, ListsNameAFileOnce) {
  Table t;
  t.by = "path";
  t.columns = {{"lines", "lines", true}};
  t.text_order = {0};
  t.add({list("a.c:1\na.c:12\nb.h:3\na.c:1\n0x10\n0x20")});
  EXPECT_EQ(render_text(t, {}), "lines\na.c:1,12 b.h:3 a.c:1 0x10 0x20\n");
  EXPECT_EQ(render_csv(t), "lines\r\na.c:1 a.c:12 b.h:3 a.c:1 0x10 0x20\r\n");
}

TEST(Render, ColourOnlyIfAskedFor) {
  EXPECT_EQ(render_text(sample(), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(render_text(sample(), {0, true}).find('\x1b'), std::string::npos);
}

TEST(Render, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(render_csv(sample()),
            "name,count,share,exact\r\n"
            "\"a \"\"quoted\"\", name\",1234567,0.333333,true\r\n"
            "tab\there,,0.000000,false\r\n");
}

TEST(Render, JsonKeepsEveryByteAndBigNumbers) {
  Table t = sample();
  t.add({text("bad \xff utf-8"), number(UINT64_MAX), share(1, 1), flag(true)});
  auto parsed = nlohmann::json::parse(render_json(t, {{"schema", 1}}));
  EXPECT_EQ(parsed["schema"], 1);
  EXPECT_EQ(parsed["by"], "thing");
  EXPECT_EQ(parsed["rows"][0]["name"], "a \"quoted\", name");
  EXPECT_TRUE(parsed["rows"][1]["count"].is_null());
  EXPECT_EQ(parsed["rows"][1]["name"], "tab\there");
  EXPECT_EQ(parsed["rows"][2]["count"].get<uint64_t>(), UINT64_MAX);
}

TEST(Render, EmptyTables) {
  Table t;
  t.by = "thing";
  t.columns = {{"name", "name", true}};
  t.text_order = {0};
  EXPECT_EQ(render_text(t, {80, false}), "name\n");
  EXPECT_EQ(nlohmann::json::parse(render_json(t, {{"schema", 1}}))["rows"].size(), 0u);
}

TEST(Render, GroupedDigits) {
  EXPECT_EQ(group_digits(0), "0");
  EXPECT_EQ(group_digits(999), "999");
  EXPECT_EQ(group_digits(1000), "1,000");
  EXPECT_EQ(group_digits(UINT64_MAX), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace chord::report
