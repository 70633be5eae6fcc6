#include "report/tables/listings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "chord_abi.h"
#include "report/source/summary.h"
#include "report/tables/render.h"
#include "unit/analysis/sample_program.h"

namespace chord::report {
namespace {

using analysis::Program;
using nlohmann::ordered_json;

Program sample(uint64_t calls = 2, uint64_t rounds = 10) {
  format::Segment segment = analysis::loop_segment(calls, rounds);
  std::vector<analysis::Object> objects;
  objects.push_back(analysis::loop_object());
  return analysis::count_program(std::move(objects), {&segment});
}

Program contradictory() {
  format::Segment segment = analysis::loop_segment(1, 10);
  segment.exits = {
      {analysis::kLoopAddress + 20 + analysis::kEntryProbe + analysis::kBodyProbe, 5, 0, CHORD_EXIT_AT_PC}};
  std::vector<analysis::Object> objects;
  objects.push_back(analysis::loop_object());
  return analysis::count_program(std::move(objects), {&segment});
}

ordered_json json_of(const Program &program, Table (*list)(const Program &)) {
  return ordered_json::parse(render_json(list(program), json_head(program)));
}

TEST(Listings, Functions) {
  ordered_json report = json_of(sample(), list_functions);
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["program"], "loop");
  EXPECT_EQ(report["instructions"], 54);
  EXPECT_EQ(report["by"], "function");
  ASSERT_EQ(report["rows"].size(), 1u);
  const ordered_json &row = report["rows"][0];
  EXPECT_EQ(row["function"], "loop");
  EXPECT_EQ(row["demangled"], "loop");
  EXPECT_EQ(row["file"], "loop.c");
  EXPECT_EQ(row["calls"], 2);
  EXPECT_EQ(row["executed"], 54);
  EXPECT_EQ(row["instructions"], 9);
  EXPECT_EQ(row["never"], 0);
  EXPECT_EQ(row["exact"], true);
}

TEST(Listings, FilesCountBlocks) {
  ordered_json row = json_of(sample(2, 0), list_files)["rows"][0];
  EXPECT_EQ(row["file"], "loop.c");
  EXPECT_EQ(row["blocks"], 4);
  EXPECT_EQ(row["blocks_executed"], 3);
  EXPECT_EQ(row["blocks_never"], 1);
  EXPECT_EQ(row["never"], 2);
}

TEST(Listings, LinesBlocksEdgesInstructions) {
  Program program = sample();
  ordered_json line = json_of(program, list_lines)["rows"][1];
  EXPECT_EQ(line["line"], 2);
  EXPECT_EQ(line["count"], 12);
  EXPECT_EQ(line["executed"], 28);
  ordered_json block = json_of(program, list_blocks)["rows"][1];
  EXPECT_EQ(block["function"], "loop");
  EXPECT_EQ(block["block"], 3);
  EXPECT_EQ(block["offset"], 6);
  EXPECT_EQ(block["count"], 10);
  EXPECT_EQ(block["instructions"], 2);
  ordered_json edge = json_of(program, list_edges)["rows"][4];
  EXPECT_EQ(edge["from"], 4);
  EXPECT_EQ(edge["to"], 3);
  EXPECT_EQ(edge["kind"], "taken");
  EXPECT_EQ(edge["count"], 10);
  ordered_json instruction = json_of(program, list_instructions)["rows"][3];
  EXPECT_EQ(instruction["function"], "loop");
  EXPECT_EQ(instruction["offset"], 6);
  EXPECT_EQ(instruction["count"], 10);
  EXPECT_EQ(instruction["file"], "loop.c");
  EXPECT_EQ(instruction["line"], 3);
  EXPECT_EQ(instruction["text"], "call helper");
}

TEST(Listings, OpcodesAddUp) {
  ordered_json opcodes = json_of(sample(), list_opcodes), by_class = json_of(sample(), list_classes);
  uint64_t mnemonics = 0;
  for (const ordered_json &row : opcodes["rows"]) {
    EXPECT_EQ(row["kind"], "mnemonic");
    mnemonics += row["count"].get<uint64_t>();
  }
  std::map<std::string, uint64_t> classes;
  for (const ordered_json &row : by_class["rows"]) {
    EXPECT_EQ(row["kind"], "class");
    classes[row["opcode"]] = row["count"];
  }
  EXPECT_EQ(mnemonics, 54u);
  EXPECT_EQ(classes["call"], 10u);
  EXPECT_EQ(classes["branch"], 14u);
  EXPECT_EQ(classes["load"], 14u);
  EXPECT_EQ(classes["store"], 12u);
}

TEST(Listings, ContradictoryCountsAreNull) {
  Program program = contradictory();
  for (const Listing &listing : listings()) {
    if (listing.by == "opcode" || listing.by == "class") continue;
    ordered_json report = json_of(program, listing.make);
    for (const ordered_json &row : report["rows"]) {
      EXPECT_EQ(row["exact"], false) << listing.by;
      const char *counted = row.contains("count") ? "count" : row.contains("executed") ? "executed" : "calls";
      EXPECT_TRUE(row.at(counted).is_null()) << listing.by;
    }
  }
  EXPECT_NE(render_text(list_functions(program), {}).find("?"), std::string::npos);
}

TEST(Listings, TopKeepsTheGreatest) {
  Table table = list_instructions(sample());
  table.keep_top(3);
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.at(0, table.column("count")).number, 12u);
  EXPECT_EQ(table.at(2, table.column("count")).number, 10u);
}

TEST(Listings, FragmentsKeepTheirOwnNames) {
  std::vector<analysis::Object> objects;
  objects.push_back(analysis::loop_object());
  format::Procedure &p = objects[0].units[0].procedures[0];
  p.fragments.push_back({"loop.cold", 2});
  p.instructions[7].fragment = p.instructions[8].fragment = 1;
  p.instructions[7].offset = 0;
  p.instructions[8].offset = 1;
  objects[0].anchors[0].parts.push_back({0x402000, 2, {}});
  format::Segment segment = analysis::loop_segment(2, 10);
  ordered_json report = json_of(analysis::count_program(std::move(objects), {&segment}), list_instructions);
  EXPECT_EQ(report["rows"][7]["function"], "loop.cold");
  EXPECT_EQ(report["rows"][7]["offset"], 0);
  EXPECT_EQ(report["rows"][7]["procedure"], "loop");
}

TEST(Listings, SummaryNamesWhatWasSkipped) {
  std::vector<analysis::Object> objects;
  objects.push_back(analysis::loop_object());
  format::Procedure skipped;
  skipped.name = "odd";
  skipped.skipped = "jump table without bounds";
  objects[0].units[0].procedures.push_back(skipped);
  format::Segment segment = analysis::loop_segment(2, 10);
  Program program = analysis::count_program(std::move(objects), {&segment});
  std::string text = summary_text(program, 10, {});
  EXPECT_NE(text.find("54 instructions executed in 2 calls"), std::string::npos) << text;
  EXPECT_NE(text.find("1  jump table without bounds"), std::string::npos) << text;
  ordered_json json = ordered_json::parse(summary_json(program, 10));
  EXPECT_EQ(json["by"], "summary");
  EXPECT_EQ(json["runs"], 1);
  EXPECT_EQ(json["skipped"][0]["reason"], "jump table without bounds");
}

TEST(Listings, SummaryAddsUpWhatWasSkippedForTheSameReason) {
  std::vector<analysis::Object> objects;
  objects.push_back(analysis::loop_object());
  for (const char *reason : {"line 7: a far jump", "line 12: a far jump", "no instructions"}) {
    format::Procedure skipped;
    skipped.name = reason;
    skipped.skipped = reason;
    objects[0].units[0].procedures.push_back(skipped);
  }
  format::Segment segment = analysis::loop_segment(2, 10);
  std::string text = summary_text(analysis::count_program(std::move(objects), {&segment}), 10, {});
  EXPECT_NE(text.find("left uninstrumented: 3 functions\n       2  a far jump\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace chord::report
