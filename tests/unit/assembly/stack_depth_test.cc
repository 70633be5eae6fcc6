#include "assembly/graph/stack_depth.h"

#include <gtest/gtest.h>

namespace chord::assembly {
namespace {

struct Bytes {
  const char *text;
  size_t size;
};
#define BYTES(x) Bytes{x, sizeof(x) - 1}

// Block 0 is the entry, block 1 the exit; `code` are the blocks from 2 on.
std::vector<std::optional<int64_t>> depths(const std::vector<std::vector<Bytes>> &code,
                                           const std::vector<std::vector<core::Vertex>> &predecessors) {
  Procedure p;
  p.blocks = {{BlockKind::entry, 0, 0}, {BlockKind::exit, 0, 0}};
  for (const std::vector<Bytes> &block : code) {
    uint32_t first = static_cast<uint32_t>(p.instructions.size());
    for (const Bytes &b : block) {
      Instruction in;
      in.decoded = isa::decode({b.text, b.size}).value();
      p.instructions.push_back(in);
    }
    p.blocks.push_back({BlockKind::code, first, static_cast<uint32_t>(block.size())});
  }
  return stack_depths(p, predecessors);
}

constexpr Bytes kPushRbx = BYTES("\x53"), kPopRbx = BYTES("\x5b"), kPushRbp = BYTES("\x55"),
                kMakeFrame = BYTES("\x48\x89\xe5"), kSub32 = BYTES("\x48\x83\xec\x20"), kAdd32 = BYTES("\x48\x83\xc4\x20"),
                kLeave = BYTES("\xc9"), kAlign = BYTES("\x48\x83\xe4\xe0"), kLoadSp = BYTES("\x48\x8b\x20"),
                kLeaFromFrame = BYTES("\x48\x8d\x65\xf8"), kNop = BYTES("\x90");

TEST(StackDepth, FollowsPushesAndConstants) {
  auto d = depths({{kPushRbx, kSub32}, {kAdd32, kPopRbx}}, {{}, {}, {0}, {2}});
  EXPECT_EQ(d[2], 40);
  EXPECT_EQ(d[3], 0);
}
TEST(StackDepth, FollowsTheFramePointer) {
  auto d = depths({{kPushRbp, kMakeFrame, kPushRbx, kAlign}, {kLeaFromFrame}, {kLeave}}, {{}, {}, {0}, {2}, {2}});
  EXPECT_NE(d[2].value(), 0);
  EXPECT_EQ(d[3], 16);
  EXPECT_EQ(d[4], 0);
}
TEST(StackDepth, DisagreementIsUnknown) {
  auto d = depths({{kNop}, {kPushRbx}, {kNop}, {kNop}}, {{}, {}, {0}, {2}, {2, 3}, {4}});
  EXPECT_EQ(d[3], 8);
  EXPECT_FALSE(d[4].has_value());
  EXPECT_FALSE(d[5].has_value());
}
TEST(StackDepth, LoopsAgree) {
  auto d = depths({{kPushRbx}, {kPushRbx, kPopRbx}, {kPopRbx}}, {{}, {}, {0}, {2, 3}, {3}});
  EXPECT_EQ(d[3], 8);
  EXPECT_EQ(d[4], 0);
}
TEST(StackDepth, AStackFromElsewhereIsUnknown) {
  auto d = depths({{kLoadSp}, {kPushRbx}}, {{}, {}, {0}, {2}});
  EXPECT_FALSE(d[2].has_value());
  EXPECT_FALSE(d[3].has_value());
}
TEST(StackDepth, WhatIsNotReachedIsUnknown) {
  auto d = depths({{kNop}, {kNop}}, {{}, {}, {0}, {}});
  EXPECT_EQ(d[2], 0);
  EXPECT_FALSE(d[3].has_value());
}

}  // namespace
}  // namespace chord::assembly
