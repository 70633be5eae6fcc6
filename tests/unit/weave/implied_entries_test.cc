#include "weave/facts/implied_entries.h"

#include <gtest/gtest.h>

#include "assembly/text/layout.h"
#include "base/process.h"

namespace chord::weave {
namespace {

// Names of the procedures whose entries follow from their callers, in text order.
std::string implied_in(const std::string &text, const std::string &not_woven = "") {
  assembly::Source source;
  read_source(text, source);
  assembly::Assembler assembler{base::find_in_path("as"), {}};
  assembly::Layout layout;
  std::string errors;
  if (!lay_out(source, assembler, layout, errors)) return errors;
  assembly::Unit unit;
  build_unit(source, std::move(layout), unit);
  std::vector<bool> woven;
  for (const assembly::Procedure &p : unit.procedures) woven.push_back(p.skipped.empty() && p.name != not_woven);
  std::vector<bool> implied = find_implied_entries(unit, woven);
  std::string names;
  for (size_t n = 0; n < implied.size(); ++n) {
    if (implied[n]) names += (names.empty() ? "" : " ") + std::string(unit.procedures[n].name);
  }
  return names;
}

std::string function(const std::string &name, const std::string &body) {
  return ".type " + name + ", @function\n" + name + ":\n" + body + "\n.size " + name + ", .-" + name + "\n";
}
const std::string kLeaf = function("leaf", "ret");
const std::string kOther = function("other", "call leaf\nret");
std::string global(const std::string &body) { return ".globl top\n" + function("top", body); }

TEST(ImpliedEntries, CallsAndTailCalls) {
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\nret")), "leaf");
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\njmp leaf")), "leaf");
  EXPECT_EQ(implied_in(kLeaf + global("call leaf@PLT\nret")), "leaf");
  EXPECT_EQ(implied_in(kLeaf + kOther + global("call other\nret")), "leaf other");
}

TEST(ImpliedEntries, NotWhatOthersCanCall) {
  EXPECT_EQ(implied_in(".globl leaf\n" + kLeaf + global("call leaf\nret")), "");
  EXPECT_EQ(implied_in(".weak leaf\n" + kLeaf + global("call leaf\nret")), "");
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\nret"), "top"), "");
  EXPECT_EQ(implied_in(kLeaf + "call leaf\n" + global("call leaf\nret")), "") << "code outside of functions";
}

TEST(ImpliedEntries, NotWhereTheAddressIsTaken) {
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\nleaq leaf(%rip), %rax\nret")), "");
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\nmovl $leaf, %eax\nret")), "");
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\nret") + ".data\n.quad leaf\n"), "");
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\nret") + ".data\n.long leaf-.\n"), "");
  EXPECT_EQ(implied_in(kLeaf + global("call leaf\nret") + ".section .debug_info,\"\",@progbits\n.quad leaf\n"), "leaf");
}

TEST(ImpliedEntries, NotUnderAnotherName) {
  EXPECT_EQ(implied_in(kLeaf + ".set alias, leaf\n" + global("call leaf\nret")), "");
  EXPECT_EQ(implied_in(kLeaf + "alias = leaf\n" + global("call leaf\nret")), "");
  EXPECT_EQ(implied_in(".Lalias:\n" + kLeaf + global("call leaf\ncall .Lalias\nret")), "");
  EXPECT_EQ(implied_in(".Lsame:\n" + kLeaf + global("call leaf\nret")), "leaf") << "nobody uses the other label";
}

TEST(ImpliedEntries, NotByOtherWays) {
  EXPECT_EQ(implied_in(kLeaf + global("call leaf+1\nret")), "") << "into its middle";
  EXPECT_EQ(implied_in(kLeaf + global("testl %edi, %edi\nje leaf\nret")), "") << "a conditional tail call";
  EXPECT_EQ(implied_in("nop\n" + kLeaf + global("call leaf\nret")), "") << "what stands before runs into it";
  EXPECT_EQ(implied_in(function("before", "nop") + kLeaf + global("call leaf\nret")), "") << "so does this";
  EXPECT_EQ(implied_in(function("before", "ret") + kLeaf + global("call leaf\ncall before\nret")), "before leaf");
}

TEST(ImpliedEntries, AnOwnLoopIsNoCall) {
  EXPECT_EQ(implied_in(function("loop", ".L1:\ndecl %edi\njne .L1\nret") + global("call loop\nret")), "loop");
  EXPECT_EQ(implied_in(function("loop", ".L1:\ndecl %edi\nje .L2\njmp .L1\n.L2:\nret") + global("call loop\nret")), "loop");
}

TEST(ImpliedEntries, RecursionIsCounted) {
  EXPECT_EQ(implied_in(function("self", "call self\nret") + global("call self\nret")), "");
  EXPECT_EQ(implied_in(function("self", "jmp self") + global("call self\nret")), "");
  // One of the two must count, and one is enough.
  EXPECT_EQ(implied_in(function("ping", "call pong\nret") + function("pong", "call ping\nret") + global("call ping\nret")),
            "pong");
}

}  // namespace
}  // namespace chord::weave
