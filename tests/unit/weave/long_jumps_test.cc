// Which jumps are asked for in their long encoding: forward, past an alignment, and too far or maybe so.
#include "weave/compose/long_jumps.h"

#include <gtest/gtest.h>

#include "base/process.h"
#include "isa/code_text.h"

namespace chord::weave {
namespace {

std::string nops(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "\tnop\n";
  return out;
}

class LongJumpsOf : public ::testing::Test {
 protected:
  // The text with `edits`; as the assembler is to see it.
  std::string seen(const std::string &text, const Edits &edits = {}) {
    assembly::Source source;
    assembly::read_source(text, source);
    assembly::Layout layout;
    std::string errors;
    EXPECT_TRUE(assembly::lay_out(source, {base::find_in_path("as"), {}}, layout, errors)) << errors;
    std::vector<Edits::Change> changes;
    woven_ = edits.apply(source.text, changes);
    return with_long_jumps(woven_, find_long_jumps(source, layout, woven_, changes));
  }

  std::string woven_;
};

TEST_F(LongJumpsOf, ShortOnesAreLeftAlone) {
  const std::string text = "\tjne\t.L1\n" + nops(100) + "\t.p2align 4,,10\n.L1:\n\tret\n";
  EXPECT_EQ(seen(text), text);
}

TEST_F(LongJumpsOf, PastAnAlignmentLongOnesAreAskedFor) {
  EXPECT_EQ(seen("\tjne\t.L1\n" + nops(130) + "\t.p2align 4,,10\n.L1:\n\tret\n"),
            "\t{disp32} jne\t.L1\n" + nops(130) + "\t.p2align 4,,10\n.L1:\n\tret\n");
}

// Within an alignment of the limit nobody knows before the assembler has counted.
TEST_F(LongJumpsOf, ThoseThatMayBeLongAreAskedFor) {
  EXPECT_EQ(seen("\tjne\t.L1\n" + nops(117) + "\t.p2align 4,,10\n.L1:\n\tret\n").substr(0, 14), "\tjne\t.L1\n\tnop\n");
  EXPECT_EQ(seen("\tjne\t.L1\n" + nops(118) + "\t.p2align 4,,10\n.L1:\n\tret\n").substr(0, 14), "\t{disp32} jne\t");
}

TEST_F(LongJumpsOf, WithoutAlignmentTheAssemblerDecides) {
  const std::string text = "\tjne\t.L1\n" + nops(200) + ".L1:\n\tret\n";
  EXPECT_EQ(seen(text), text);
}

TEST_F(LongJumpsOf, BackwardTheAssemblerDecides) {
  const std::string text = ".L1:\n" + nops(200) + "\t.p2align 4\n\tjne\t.L1\n\tret\n";
  EXPECT_EQ(seen(text), text);
}

TEST_F(LongJumpsOf, OtherJumpsHaveOneEncoding) {
  const std::string text = "\tjrcxz\t.L1\n\tjmp\t*%rax\n\tcall\tf\n" + nops(20) + "\t.p2align 4\n.L1:\n\tret\n" + nops(200) + "f:\n\tret\n";
  EXPECT_EQ(seen(text), text);
}

TEST_F(LongJumpsOf, WhatIsInsertedCounts) {
  const std::string text = "\tjne\t.L1\n\tjs\t.L2\n" + nops(20) + "\t.p2align 3\n.L1:\n\tret\n.L2:\n\tret\n";
  Edits edits;
  edits.insert(static_cast<uint32_t>(text.find("\t.p2align")), nops(110) + "\tjs\t.Lout\n" + nops(10));
  edits.replace(static_cast<uint32_t>(text.find(".L2")), 3, ".Lstub");
  edits.insert(static_cast<uint32_t>(text.size()), ".Lout:\n\tret\n.Lstub:\n\tjmp\t.L2\n");
  EXPECT_EQ(seen(text, edits), "\t{disp32} jne\t.L1\n\t{disp32} js\t.Lstub\n" + nops(20) + nops(110) + "\tjs\t.Lout\n" + nops(10) +
                                   "\t.p2align 3\n.L1:\n\tret\n.L2:\n\tret\n.Lout:\n\tret\n.Lstub:\n\tjmp\t.L2\n");
}

TEST_F(LongJumpsOf, SectionsAreApart) {
  const std::string text = "\tjne\t.L1\n\t.section .text.unlikely,\"ax\"\n" + nops(200) + "\t.text\n\t.p2align 4\n.L1:\n\tret\n";
  EXPECT_EQ(seen(text), text);
}

// Sizes are estimated between bounds that hold for what probes are made of.
TEST(EstimatedSize, BoundsHold) {
  struct Case {
    const char *text;
    uint32_t size;
  };
  const Case cases[] = {{"ret", 1}, {"pushfq", 1}, {"endbr64", 4}, {"call\t__chord_trace_flush", 5}, {"pushq\t%rcx", 1}, {"popq\t%r10", 2},
                        {"pushq\t$22020096", 5}, {"leaq\t-128(%rsp),%rsp", 5}, {"leaq\t136(%rsp),%rsp", 8}, {"movq\t%fs:x@tpoff+0,%rsi", 9},
                        {"incq\t%fs:x@tpoff", 9}, {"cmpl\t$512,%fs:x@tpoff+4", 12}, {"shlq\t%fs:x@tpoff+0", 9}, {"shlq\t$22,%rsi", 4},
                        {"movq\tx@gottpoff(%rip),%r11", 7}, {"addq\t$1,%fs:8(%r11)", 6}, {"addq\t$1000,%rcx", 7}, {"movl\t$5,%eax", 5},
                        {"leaq\t1(%rcx,%rcx),%rcx", 5}, {"testq\t%rcx,%rcx", 3}, {"movq\t8(%rsp),%rax", 5}, {"movq\t(%rax),%rax", 3}, {"lock incq x(%rip)", 8}};
  for (const Case &c : cases) {
    const std::string_view text = c.text;
    const size_t word = std::min(text.find_first_of(" \t"), text.size());
    const isa::CodeSize found = isa::estimated_size(text.substr(0, word), word < text.size() ? text.substr(word + 1) : "");
    EXPECT_LE(found.least, c.size) << text;
    EXPECT_GE(found.most, c.size) << text;
    EXPECT_LE(found.most, c.size + 4) << text;
  }
}

}  // namespace
}  // namespace chord::weave
