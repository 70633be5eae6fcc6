// assembly/copied_steps against executing random procedures: an instruction that is said to
// step a register does so each time it runs.
#include "assembly/graph/copied_steps.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>

namespace chord::assembly {
namespace {

using Registers = std::array<uint64_t, 16>;
using isa::Copy;

class Made {
 public:
  explicit Made(uint32_t seed) : random_(seed) {
    uint32_t blocks = 3 + below(6);
    p_.blocks.resize(2);
    p_.blocks[0].kind = BlockKind::entry;
    p_.blocks[1].kind = BlockKind::exit;
    for (uint32_t b = 2; b < blocks; ++b) add_block();
    p_.edges.push_back({1, 0, EdgeKind::return_edge, 0, 0, {}});
    p_.edges.push_back({0, 2, EdgeKind::enter, 0, 0, {}});
    for (uint32_t b = 2; b < blocks; ++b) {
      for (uint32_t n = 1 + below(2); n != 0; --n) p_.edges.push_back({core::Vertex(b), core::Vertex(1 + below(blocks - 1)), EdgeKind::jump, 0, 0, {}});
    }
    find_copied_steps(p_);
  }

  // Number of steps by copy that ran.
  uint32_t run() {
    Registers r;
    for (uint64_t &x : r) x = random_() * uint64_t{0x100000001} + random_();
    uint32_t seen = 0, at = 2;
    for (int moves = 0; moves < 60 && at != 1; ++moves) {
      for (uint32_t i = p_.blocks[at].first; i < p_.blocks[at].first + p_.blocks[at].count; ++i) seen += execute(p_.instructions[i].decoded, r);
      at = next(at);
    }
    return seen;
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void add_block() {
    Block block{BlockKind::code, static_cast<uint32_t>(p_.instructions.size()), 1 + below(4)};
    for (uint32_t i = 0; i < block.count; ++i) p_.instructions.emplace_back().decoded = instruction();
    p_.blocks.push_back(block);
  }

  // Few registers and small constants, so that they meet.
  isa::Decoded instruction() {
    isa::Decoded d;
    auto into = static_cast<uint8_t>(below(4)), from = static_cast<uint8_t>(below(4));
    d.writes = isa::register_numbered(into);
    int32_t plus = static_cast<int32_t>(below(3)) - 1;
    switch (below(8)) {
      case 0: break;  // something else is written
      case 1: d.copy = {Copy::Kind::extended, into, from, 0}; break;
      case 2: d.copy = {Copy::Kind::half, into, from, plus}; break;
      default: d.copy = {Copy::Kind::whole, into, from, plus}; break;
    }
    if (below(20) == 0) {
      d = {};
      d.flow = isa::Flow::call;
    }
    return d;
  }

  bool execute(const isa::Decoded &d, Registers &r) {
    if (d.flow == isa::Flow::call) {
      for (uint64_t &x : r) x += random_();
      return false;
    }
    uint64_t before = r[d.copy.into], value = r[d.copy.from] + static_cast<uint64_t>(int64_t{d.copy.plus});
    switch (d.copy.kind) {
      case Copy::Kind::none: r[static_cast<size_t>(std::countr_zero(d.writes))] = random_(); return false;
      case Copy::Kind::whole: break;
      case Copy::Kind::half: value = static_cast<uint32_t>(value); break;
      case Copy::Kind::extended: value = static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)}); break;
    }
    r[d.copy.into] = value;
    if (!d.step_by_copy) return false;
    EXPECT_EQ(d.stepped, isa::register_numbered(d.copy.into));
    EXPECT_EQ(d.narrow_step, d.copy.kind == Copy::Kind::half);
    EXPECT_NE(d.step, 0);
    uint64_t stepped = before + static_cast<uint64_t>(int64_t{d.step});
    EXPECT_EQ(value, d.narrow_step ? static_cast<uint32_t>(stepped) : stepped);
    return true;
  }

  uint32_t next(uint32_t at) {
    std::vector<uint32_t> ways;
    for (const Edge &e : p_.edges) {
      if (e.from == at) ways.push_back(e.to);
    }
    return ways[below(static_cast<uint32_t>(ways.size()))];
  }

  std::mt19937 random_;
  Procedure p_;
};

TEST(CopiedSteps, AreStepsEachTimeTheyRun) {
  uint32_t seen = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    Made made(seed);
    for (int run = 0; run < 5; ++run) seen += made.run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(seen, 10000u);
}

}  // namespace
}  // namespace chord::assembly
