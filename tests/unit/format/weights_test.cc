#include "format/inputs/weights.h"

#include <gtest/gtest.h>

namespace chord::format {
namespace {

Procedure branch() {
  Procedure p;
  p.name = "f";
  p.blocks = {{VertexKind::entry, 0, 0},
              {VertexKind::exit, 0, 0},
              {VertexKind::code, 0, 2},
              {VertexKind::code, 2, 1}};
  p.edges = {{1, 0, EdgeKind::return_edge, 0, 0},
             {0, 2, EdgeKind::enter, 0, 0},
             {2, 3, EdgeKind::fall, 0, 0},
             {2, 1, EdgeKind::leave, 0, 0},
             {3, 1, EdgeKind::leave, 0, 0}};
  p.instructions.resize(3);
  return p;
}

Weights sample() {
  Weights w;
  w.source = "prog.chord";
  w.stamp = 0x123456789abcdef0u;
  w.add(shape_hash(branch()), {7, 7, 3, 4, 3});
  w.add(1, {});
  w.add(UINT64_MAX, {UINT64_MAX, 0});
  return w;
}

TEST(ShapeHash, SeesNameBlocksAndEdgesAndNothingElse) {
  uint64_t hash = shape_hash(branch());
  Procedure same = branch();
  same.key = 9;
  same.global = true;
  same.instructions[1].text = "movl $1, %eax";
  same.instructions[1].offset = 77;
  EXPECT_EQ(shape_hash(same), hash);
  Procedure other = branch();
  other.name = "g";
  EXPECT_NE(shape_hash(other), hash);
  other = branch();
  other.blocks[2].count = 1;
  EXPECT_NE(shape_hash(other), hash);
  other = branch();
  other.blocks[3].kind = VertexKind::join;
  EXPECT_NE(shape_hash(other), hash);
  other = branch();
  other.edges[2].kind = EdgeKind::taken;
  EXPECT_NE(shape_hash(other), hash);
  other = branch();
  std::swap(other.edges[3].from, other.edges[4].from);
  EXPECT_NE(shape_hash(other), hash);
}

TEST(Weights, RoundTrip) {
  Weights back;
  EXPECT_EQ(decode_weights(encode_weights(sample()), back), "");
  EXPECT_EQ(back, sample());
  EXPECT_TRUE(is_weights_file(encode_weights({})));
  EXPECT_FALSE(is_weights_file("weights"));
}

TEST(Weights, CopiesOfOneShapeAddUp) {
  Weights w;
  w.add(5, {1, 2});
  w.add(5, {10, UINT64_MAX});
  ASSERT_NE(w.find(5, 2), nullptr);
  EXPECT_EQ(*w.find(5, 2), (std::vector<uint64_t>{11, UINT64_MAX}));
  EXPECT_EQ(w.find(5, 3), nullptr);
  EXPECT_EQ(w.find(6, 2), nullptr);
}

TEST(Weights, EveryDamageIsNoticed) {
  std::string bytes = encode_weights(sample());
  Weights back;
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_NE(decode_weights(bytes.substr(0, size), back), "") << size;
    ASSERT_TRUE(back.procedures.empty());
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string broken = bytes;
    broken[i] = static_cast<char>(broken[i] ^ 0x20);
    ASSERT_NE(decode_weights(broken, back), "") << i;
  }
  EXPECT_NE(decode_weights(bytes + "x", back), "");
}

TEST(Weights, NewerVersionsAreNamed) {
  std::string bytes = encode_weights(sample());
  bytes[8] = 9;
  Weights back;
  EXPECT_EQ(decode_weights(bytes, back), "it has version 9, this program reads 1");
}

}  // namespace
}  // namespace chord::format
