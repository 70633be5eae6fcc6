#include "format/facts/branch_hints.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace chord::format {
namespace {

// entry 0, exit 1; block 2 branches to 4 (taken) or falls into 3; 3 goes on into 4; 4
// returns. Instructions: 0 test, 1 jump | 2 body | 3 return.
struct Sample {
  std::vector<std::string> mnemonics{"test", "jz", "mov", "ret", "jnz", "cmp", "jle", "call"};
  Procedure p;

  Sample() {
    p.name = "f";
    p.fragments = {{"f", 20}};
    p.instructions.resize(4);
    set(0, 0, "testq %rax, %rax", 0);
    set(1, 1, "je .L4", isa::kConditional);
    set(2, 2, "movl %eax, %ebx", 0);
    set(3, 3, "ret", isa::kReturn);
    p.blocks = {{VertexKind::entry, 0, 0},
                {VertexKind::exit, 0, 0},
                {VertexKind::code, 0, 2},
                {VertexKind::code, 2, 1},
                {VertexKind::code, 3, 1}};
    p.edges = {{1, 0, EdgeKind::return_edge, 0, 0}, {0, 2, EdgeKind::enter, 0, 0},
               {2, 3, EdgeKind::fall, 0, 0},        {2, 4, EdgeKind::taken, 0, 0},
               {3, 4, EdgeKind::fall, 0, 0},        {4, 1, EdgeKind::leave, 0, 0}};
  }
  void set(size_t i, uint32_t mnemonic, const char *text, isa::Traits traits) {
    p.instructions[i].mnemonic = mnemonic;
    p.instructions[i].text = text;
    p.instructions[i].traits = traits;
  }
  // The edge that the heuristic favours; kNone if it says nothing.
  core::EdgeId favoured(Heuristic h) const {
    for (const Evidence &e : branch_evidence(p, mnemonics)) {
      EXPECT_EQ(e.block, 2u);
      if (e.heuristic == h) return e.favoured;
    }
    return core::kNone;
  }
};

constexpr core::EdgeId kFall = 2, kTaken = 3;

TEST(BranchHints, PointersAreNotNull) {
  Sample s;
  EXPECT_EQ(s.favoured(Heuristic::pointer), kFall);
  s.p.instructions[1].mnemonic = 4;
  EXPECT_EQ(s.favoured(Heuristic::pointer), kTaken);
  s.p.instructions[0].text = "testl %eax, %eax";
  EXPECT_EQ(s.favoured(Heuristic::pointer), core::kNone);
  s.p.instructions[0].text = "test r11, r11";
  EXPECT_EQ(s.favoured(Heuristic::pointer), kTaken);
  s.p.instructions[0].text = "testq %rax, %rbx";
  EXPECT_EQ(s.favoured(Heuristic::pointer), core::kNone);
}

TEST(BranchHints, ValuesAreNotBelowZero) {
  Sample s;
  s.p.instructions[1].mnemonic = 6;  // jle
  s.set(0, 5, "cmpl $0, 8(%rax)", isa::kLoad);
  EXPECT_EQ(s.favoured(Heuristic::negative), kFall);
  s.set(0, 5, "cmpl $9, 8(%rax,%rbx,4)", isa::kLoad);
  EXPECT_EQ(s.favoured(Heuristic::negative), core::kNone);
}

TEST(BranchHints, ValuesAreNotAGivenOne) {
  Sample s;
  s.set(0, 5, "cmpl $9, 8(%rax,%rbx,4)", isa::kLoad);
  EXPECT_EQ(s.favoured(Heuristic::value), kFall);
  s.set(0, 5, "cmp dword ptr [rax+rbx*4], 9", isa::kLoad);
  EXPECT_EQ(s.favoured(Heuristic::value), kFall);
  for (const char *other : {"cmpl %ecx, %eax", "cmpl 24(%rsp), %eax", "cmpb $9, (%rax)", "cmp al, 9", "cmp byte ptr [rax], 9"}) {
    s.set(0, 5, other, 0);
    EXPECT_EQ(s.favoured(Heuristic::value), core::kNone) << other;
  }
}

TEST(BranchHints, BitsAreNotSet) {
  Sample s;
  s.p.instructions[0].text = "testl $8, 4(%rax)";
  EXPECT_EQ(s.favoured(Heuristic::mask), kTaken);
  s.p.instructions[0].text = "testb $8, %al";
  EXPECT_EQ(s.favoured(Heuristic::mask), core::kNone);
}

TEST(BranchHints, NarrowValuesAreZero) {
  Sample s;
  s.p.instructions[0].text = "testl %eax, %eax";
  EXPECT_EQ(s.favoured(Heuristic::zero), kTaken);
  s.p.instructions[1].mnemonic = 4;  // jnz
  EXPECT_EQ(s.favoured(Heuristic::zero), kFall);
  s.set(0, 5, "cmpb $0, 4(%rbx)", isa::kLoad);
  EXPECT_EQ(s.favoured(Heuristic::zero), kFall);
  s.p.instructions[0].text = "testq %rax, %rax";
  EXPECT_EQ(s.favoured(Heuristic::zero), core::kNone);
}

TEST(BranchHints, WhatManyWaysLeadToIsSeldomReached) {
  Sample s;
  s.set(2, 2, "addsd %xmm1, %xmm0", isa::kFloat);
  EXPECT_EQ(s.favoured(Heuristic::floats), kFall);
  EXPECT_EQ(s.favoured(Heuristic::merge), core::kNone);
  for (int more = 0; more < 2; ++more) s.p.edges.push_back({3, 4, EdgeKind::dispatch, 0, 0});
  EXPECT_EQ(s.favoured(Heuristic::merge), kFall);
}

TEST(BranchHints, CallsLoadsAndReturns) {
  Sample s;
  EXPECT_EQ(s.favoured(Heuristic::leaves), core::kNone);  // both ways return
  s.set(2, 7, "call g", isa::kCall | isa::kStore);
  EXPECT_EQ(s.favoured(Heuristic::call), kTaken);
  EXPECT_EQ(s.favoured(Heuristic::store), core::kNone);  // only its return address
  s.set(2, 2, "movl %eax, (%rbx)", isa::kStore);
  EXPECT_EQ(s.favoured(Heuristic::call), core::kNone);
  EXPECT_EQ(s.favoured(Heuristic::store), kFall);
  s.set(2, 2, "movl (%rbx), %eax", isa::kLoad);
  EXPECT_EQ(s.favoured(Heuristic::load), kFall);
}

TEST(BranchHints, MessagesAndErrors) {
  Sample s;
  s.mnemonics.push_back("lea");
  // Block 3 gets a second instruction: it is the last of all, where block 4 follows.
  s.p.instructions.insert(s.p.instructions.begin() + 2, s.p.instructions[2]);
  s.p.blocks[3].count = 2;
  s.p.blocks[4].first = 4;
  s.set(2, 8, "leaq .LC0(%rip), %rdi", 0);
  s.set(3, 7, "call puts", isa::kCall | isa::kStore);
  EXPECT_EQ(s.favoured(Heuristic::message), kTaken);
  EXPECT_EQ(s.favoured(Heuristic::complaint), core::kNone);
  s.p.instructions[3].callee = "luaL_typeError";
  EXPECT_EQ(s.favoured(Heuristic::complaint), kTaken);
  s.set(2, 2, "movl $.LC0, %edi", 0);
  EXPECT_EQ(s.favoured(Heuristic::message), kTaken);
  s.set(2, 2, "mov edi, OFFSET FLAT:.LC0", 0);
  EXPECT_EQ(s.favoured(Heuristic::message), kTaken);
  s.set(2, 2, "movsd .LC0(%rip), %xmm0", isa::kLoad);  // a constant, not its address
  EXPECT_EQ(s.favoured(Heuristic::message), core::kNone);
  s.set(2, 7, "call puts", isa::kCall | isa::kStore);
  s.set(3, 8, "leaq .LC0(%rip), %rdi", 0);  // after the call
  EXPECT_EQ(s.favoured(Heuristic::message), core::kNone);
}

TEST(BranchHints, ValuesAreAmongTheCasesOfASwitch) {
  Sample s;
  EXPECT_EQ(s.favoured(Heuristic::table), core::kNone);
  s.p.blocks.push_back({VertexKind::dispatch, 0, 0});
  s.p.edges[4] = {3, 5, EdgeKind::dispatch, 0, 0};
  s.p.edges.push_back({5, 4, EdgeKind::dispatch, 0, 0});
  EXPECT_EQ(s.favoured(Heuristic::table), kFall);
}

TEST(BranchHints, LoopsGoOn) {
  Sample s;
  s.p.edges[3].to = 2;  // the branch goes back to itself
  s.p.instructions[1].traits |= isa::kBackward;
  EXPECT_EQ(s.favoured(Heuristic::loop), kTaken);
  EXPECT_EQ(s.favoured(Heuristic::fall), core::kNone);
}

TEST(BranchHints, InnerLoopsAreShorter) {
  Sample s;
  s.p.edges[3].to = 2;
  EXPECT_EQ(s.favoured(Heuristic::inner), core::kNone);
  s.p.edges.push_back({4, 3, EdgeKind::dispatch, 0, 0});
  s.p.edges[2].to = 4;  // the branch falls out of its loop,
  s.p.edges[4] = {3, 2, EdgeKind::fall, 0, 0};
  s.p.edges[1].to = 3;  // which lies in another one
  EXPECT_EQ(s.favoured(Heuristic::loop), kTaken);
  EXPECT_EQ(s.favoured(Heuristic::inner), kFall);
}

TEST(BranchHints, LoopsGoRoundAtOnce) {
  Sample s;
  s.p.edges[3].to = 2;
  s.p.edges[4] = {3, 2, EdgeKind::jump, 0, 0};
  s.p.edges.push_back({3, 4, EdgeKind::fall, 0, 0});
  EXPECT_EQ(s.favoured(Heuristic::back), kTaken);
  EXPECT_EQ(s.favoured(Heuristic::loop), core::kNone);
}

TEST(BranchHints, EvidenceCombinesAndSumsToOne) {
  Sample s;
  core::BranchHints hints = branch_hints(s.p, s.mnemonics);
  EXPECT_NEAR(hints.probability[kFall] + hints.probability[kTaken], 1, 1e-12);
  double pointer = probability_of(Heuristic::pointer), fall = probability_of(Heuristic::fall);
  EXPECT_NEAR(hints.probability[kFall], pointer * fall / (pointer * fall + (1 - pointer) * (1 - fall)),
              1e-12);
  EXPECT_EQ(hints.probability[4], core::kNoHint);
}

TEST(BranchHints, ColdFragmentsAndCallsThatDoNotReturn) {
  Sample s;
  EXPECT_EQ(branch_hints(s.p, s.mnemonics).cold, std::vector<bool>(5, false));
  s.p.fragments.push_back({"f.cold", 4});
  s.p.instructions[2].fragment = 1;
  EXPECT_TRUE(branch_hints(s.p, s.mnemonics).cold[3]);
  s.p.instructions[2].fragment = 0;
  s.p.edges[4] = {3, 1, EdgeKind::never, 0, 0};
  EXPECT_TRUE(branch_hints(s.p, s.mnemonics).cold[3]);
}

TEST(BranchHints, EveryHeuristicHasANameAndLeansItsWay) {
  for (size_t h = 0; h < kHeuristics; ++h) {
    EXPECT_NE(name_of(static_cast<Heuristic>(h)), nullptr);
    EXPECT_GT(probability_of(static_cast<Heuristic>(h)), 0.5);
    EXPECT_LT(probability_of(static_cast<Heuristic>(h)), 1);
  }
}

}  // namespace
}  // namespace chord::format
