#include "assembly/graph/unwind_info.h"

#include <gtest/gtest.h>

namespace chord::assembly {
namespace {

UnwindRules rules(std::map<std::string, std::string> registers) {
  UnwindRules out;
  out.active = true;
  out.frame_register = "7";
  out.frame_offset = 16;
  out.registers = std::move(registers);
  return out;
}

TEST(UnwindRules, RegistersAreTakenBack) {
  UnwindRules bare = rules({}), saved = rules({{"6", ".cfi_offset 6, -16"}});
  EXPECT_TRUE(can_change_rules(bare, saved));
  EXPECT_TRUE(can_change_rules(saved, bare));
  EXPECT_EQ(change_rules(bare, saved), "\t.cfi_offset 6, -16\n");
  EXPECT_EQ(change_rules(saved, bare), "\t.cfi_restore 6\n");
}

TEST(UnwindRules, WhatIsEscapedIsNot) {
  UnwindRules bare = rules({}), escaped = rules({{"escape1", ".cfi_escape 0x10,0x6,0x2,0x76,0x78"}});
  EXPECT_TRUE(can_change_rules(bare, escaped));
  EXPECT_FALSE(can_change_rules(escaped, bare));
  EXPECT_TRUE(can_change_rules(escaped, escaped));
  EXPECT_FALSE(can_change_rules(escaped, rules({{"escape1", ".cfi_escape 0x2e,0x10"}})));
}

TEST(UnwindRules, OutsideOfThemThereAreNone) {
  EXPECT_FALSE(can_change_rules(UnwindRules{}, rules({})));
  EXPECT_FALSE(can_change_rules(rules({}), UnwindRules{}));
}

}  // namespace
}  // namespace chord::assembly
