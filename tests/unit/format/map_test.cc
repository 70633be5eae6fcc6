#include "format/map/map.h"

#include <gtest/gtest.h>

#include "format/facts/trace_encoding.h"
#include "format/map/map_codec.h"
#include "format/map/statement_shapes.h"
#include "unit/format/samples.h"

namespace chord::format {
namespace {

TEST(StatementShapes, AnyTextComesBack) {
  Sampler sample(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = sample.text();
    SplitStatement split = split_statement(text);
    std::vector<uint64_t> values;
    std::vector<bool> kinds;
    for (const Slot &slot : split.slots) {
      values.push_back(slot.value);
      kinds.push_back(slot.label);
    }
    ASSERT_EQ(slots_of(split.shape), kinds);
    ASSERT_EQ(join_statement(split.shape, values), text);
  }
}

TEST(StatementShapes, SharesFormsAndKeepsNames) {
  EXPECT_EQ(split_statement("jne\t.L1").shape, split_statement("jne\t.L99").shape);
  EXPECT_EQ(split_statement("movq\t-8(%rbp), %r8").slots, (std::vector<Slot>{{false, 8}}));
  EXPECT_EQ(split_statement("addl\t$12, %eax").slots, (std::vector<Slot>{{false, 12}}));
  EXPECT_TRUE(split_statement("call\tsqlite3_free@PLT").slots.empty());
}

TEST(Map, RoundTripOfRandomUnits) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    UnitMap map = Sampler(seed).map();
    MapSection back = decode_maps(encode_map(map));
    ASSERT_EQ(back.error, "") << "seed " << seed;
    ASSERT_EQ(back.units.size(), 1u);
    ASSERT_TRUE(same_map(back.units[0], map)) << "seed " << seed;
  }
}

TEST(Map, TextFormRoundTrip) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    UnitMap map = Sampler(seed).map();
    std::string error;
    std::optional<UnitMap> back = map_from_text(to_text(map), error);
    ASSERT_TRUE(back.has_value()) << "seed " << seed << ": " << error;
    ASSERT_TRUE(same_map(*back, map)) << "seed " << seed;
  }
}

TEST(Map, TextFormNamesTheLine) {
  std::string error;
  EXPECT_FALSE(map_from_text("unit \"a\"\nblock code 0 0\n", error));
  EXPECT_EQ(error, "line 2: 'block' is not known in a unit");
  EXPECT_FALSE(map_from_text("unit \"a", error));
  EXPECT_EQ(error, "line 1: a string has no closing quote");
  EXPECT_FALSE(map_from_text("id 1 2\n", error));
  EXPECT_EQ(error, "line 1: more values than expected");
}

TEST(Map, SectionsAreConcatenatedWithPadding) {
  std::string section(8, '\0');
  std::vector<UnitMap> maps;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    maps.push_back(Sampler(seed).map());
    section += encode_map(maps.back()) + std::string(seed, '\0');
  }
  MapSection back = decode_maps(section);
  ASSERT_EQ(back.error, "");
  ASSERT_EQ(back.units.size(), maps.size());
  for (size_t i = 0; i < maps.size(); ++i) EXPECT_TRUE(same_map(back.units[i], maps[i]));
}

TEST(Map, WithoutTextsAllElseIsThere) {
  UnitMap map = Sampler(7).map();
  MapSection back = decode_maps(encode_map(map), false);
  ASSERT_EQ(back.error, "");
  for (Procedure &p : map.procedures) {
    for (Instruction &i : p.instructions) i.text.clear();
  }
  EXPECT_TRUE(same_map(back.units[0], map));
}

TEST(Map, DamageIsNamedAndWhatCameBeforeIsKept) {
  std::string good = encode_map(Sampler(1).map());
  std::string damaged = good;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  MapSection back = decode_maps(good + damaged);
  EXPECT_EQ(back.units.size(), 1u);
  EXPECT_NE(back.error.find("checksum"), std::string::npos) << back.error;

  back = decode_maps(good + good.substr(0, good.size() / 2));
  EXPECT_EQ(back.units.size(), 1u);
  EXPECT_NE(back.error.find("cut short"), std::string::npos) << back.error;

  std::string newer = good;
  newer[8] = 99;
  EXPECT_NE(decode_maps(newer).error.find("version 99"), std::string::npos);
  EXPECT_NE(decode_maps("no map at all").error.find("no map where one should begin"), std::string::npos);
}

TEST(Map, IndexesOutOfRangeAreRefused) {
  UnitMap map = Sampler(3).map();
  map.procedures.clear();
  Procedure &p = map.procedures.emplace_back();
  p.name = "f";
  p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}};
  p.edges = {{1, 0, EdgeKind::return_edge, 0, 0}, {0, 2, EdgeKind::enter, 0, 0}};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("f: an edge's end is out of range"), std::string::npos);
  p.edges[1].to = 1;
  EXPECT_EQ(decode_maps(encode_map(map)).error, "");
  p.plan.counters = {{core::Site::edge, 2}};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a counter is out of range"), std::string::npos);
  p.plan.counters = {{core::Site::sum, 0}};
  p.plan.sums = {{{{0, 1}, {2, -4}}, {core::Site::edge, 1}}};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a term of a sum is out of range"), std::string::npos);
  p.plan.sums[0].terms[1].vertex = 1;
  EXPECT_EQ(decode_maps(encode_map(map)).error, "");
  p.plan.sums[0].spared.id = 2;
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a counter is out of range"), std::string::npos);
}

TEST(Map, MetricsOfWhatIsNotThereAreRefused) {
  UnitMap map = Sampler(3).map();
  map.procedures.clear();
  Procedure &p = map.procedures.emplace_back();
  p.name = "f";
  p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}};
  p.edges = {{1, 0, EdgeKind::return_edge, 0, 0}, {0, 1, EdgeKind::enter, 0, 0}};
  p.metrics = {{"tsc", SumsOf::procedure, {}}, {"tsc", SumsOf::total, {}}};
  EXPECT_EQ(decode_maps(encode_map(map)).error, "");
  EXPECT_EQ(p.metric_words(), 2u);
  p.metrics.push_back({"sim:l1d", SumsOf::instructions, {0}});
  EXPECT_NE(decode_maps(encode_map(map)).error.find("an instruction of a metric is out of range"), std::string::npos);
  p.metrics.back() = {"tsc", SumsOf::paths, {}};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a metric is of paths, and they are not counted"), std::string::npos);
  p.metrics.back() = {"tsc", static_cast<SumsOf>(9), {}};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a metric's sums are of nothing there is"), std::string::npos);
}

TEST(Map, ChosenPathsSurviveAndAreChecked) {
  UnitMap map = Sampler(3).map();
  map.procedures.clear();
  Procedure &p = map.procedures.emplace_back();
  p.name = "f";
  p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}};
  p.edges = {{1, 0, EdgeKind::return_edge, 0, 0}, {0, 1, EdgeKind::enter, 0, 0}, {0, 1, EdgeKind::jump, 0, 0}};
  p.plan.placement = core::Placement::chosen_paths;
  p.plan.paths = {2, {}, {}, true, {0, 1}, {4, 0}, 5};
  MapSection read = decode_maps(encode_map(map));
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.units[0].procedures[0].plan.paths, p.plan.paths);
  std::string error;
  EXPECT_EQ(map_from_text(to_text(map), error)->procedures[0].plan.paths, p.plan.paths) << error;
  p.plan.paths.words = 4;
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a chosen path is out of range"), std::string::npos);
  p.plan.paths = {2, {}, {}, false, {0, 1}, {uint64_t{1} << 62, 0}, 0, true};  // by number
  read = decode_maps(encode_map(map));
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.units[0].procedures[0].plan.paths, p.plan.paths);
  EXPECT_EQ(map_from_text(to_text(map), error)->procedures[0].plan.paths, p.plan.paths) << error;
  p.plan.paths = {2, {}, {}, false, {1, 0}, {1, 0}, 5};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("the chosen paths are out of order"), std::string::npos);
}

TEST(Map, EncodingsOfTracesSurviveAndAreChecked) {
  UnitMap map = Sampler(3).map();
  map.procedures.clear();
  Procedure &p = map.procedures.emplace_back();
  p.name = "f";
  p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}, {VertexKind::code, 0, 0}};
  p.edges = {{1, 0, EdgeKind::return_edge, 0, 0}, {0, 2, EdgeKind::enter, 0, 0}, {2, 2, EdgeKind::taken, 0, 0}, {2, 1, EdgeKind::leave, 0, 0}};
  p.plan.placement = core::Placement::trace;
  p.plan.encoding = core::TraceEncoding::witness;
  p.plan.witnesses = {2, 3};
  p.plan.late = {3};
  p.plan.names = p.plan.compares = true;
  p.plan.own_calls = {{0, 77}, {4, 0xfffffffe}};
  const MapSection back = decode_maps(encode_map(map));
  ASSERT_EQ(back.error, "");
  EXPECT_EQ(back.units.at(0).procedures.at(0).plan.witnesses, p.plan.witnesses);
  std::string error;
  for (const UnitMap &other : {back.units[0], map_from_text(to_text(map), error).value_or(UnitMap{})}) EXPECT_TRUE(same_map(other, map)) << error;
  EXPECT_TRUE(can_be_replayed(p));
  p.plan.witnesses = {3};  // it could go round for ever
  EXPECT_EQ(decode_maps(encode_map(map)).error, "");
  EXPECT_FALSE(can_be_replayed(p));
  p.plan.witnesses = {2, 4};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a witness is out of range"), std::string::npos);
  p.plan.witnesses.clear();
  p.plan.encoding = core::TraceEncoding::paths;
  p.plan.starts = {2};
  const MapSection paths = decode_maps(encode_map(map));
  ASSERT_EQ(paths.error, "");
  EXPECT_EQ(paths.units.at(0).procedures.at(0).plan.starts, p.plan.starts);
  EXPECT_TRUE(same_map(map_from_text(to_text(map), error).value_or(UnitMap{}), map)) << error;
  EXPECT_TRUE(can_be_replayed(p));
  p.plan.starts = {};
  EXPECT_FALSE(can_be_replayed(p));
  p.plan.starts = {3};
  EXPECT_NE(decode_maps(encode_map(map)).error.find("a start of paths is out of range"), std::string::npos);
}

TEST(Map, GraphHasTheMapsEdgeNumbers) {
  Procedure p;
  p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}, {VertexKind::code, 0, 0}};
  p.edges = {
      {1, 0, EdgeKind::return_edge, 0, 0}, {0, 2, EdgeKind::enter, 0, 0}, {2, 1, EdgeKind::leave, 0, 0}};
  core::Graph graph = p.graph();
  ASSERT_EQ(graph.edge_count(), 3u);
  for (core::EdgeId e = 0; e < 3; ++e) {
    EXPECT_EQ(graph.edge(e).from, p.edges[e].from);
    EXPECT_EQ(graph.edge(e).to, p.edges[e].to);
  }
}

TEST(Anchors, RoundTripWithPadding) {
  Anchor a{0x1234, {{0x401000, 70, {0, 5, 300}, {2, 9}}, {0x402000, 8, {}, {}}}};
  Anchor b{0x99, {{0, 1, {1}, {}}}};
  AnchorSection back = decode_anchors(encode_anchor(a) + std::string(16, '\0') + encode_anchor(b));
  ASSERT_EQ(back.error, "");
  ASSERT_EQ(back.anchors.size(), 2u);
  EXPECT_EQ(back.anchors[0].key, 0x1234u);
  ASSERT_EQ(back.anchors[0].parts.size(), 2u);
  EXPECT_EQ(back.anchors[0].parts[0].marks, (std::vector<uint32_t>{0, 5, 300}));
  EXPECT_EQ(back.anchors[0].parts[0].spots, (std::vector<uint32_t>{2, 9}));
  EXPECT_EQ(back.anchors[0].parts[1].address, 0x402000u);
  EXPECT_EQ(back.anchors[1].parts[0].marks, std::vector<uint32_t>{1});
}

TEST(Anchors, DamageIsNamed) {
  Anchor a{0x1234, {{0x401000, 70, {0, 5, 300}, {}}}};
  std::string bytes = encode_anchor(a);
  EXPECT_NE(decode_anchors(bytes.substr(0, bytes.size() - 8)).error, "");
}

}  // namespace
}  // namespace chord::format
