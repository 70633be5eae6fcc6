// Small woven texts that are proved, and the smallest changes to them that are not.
//
// The text is woven, so it is right; each test changes one thing in it or in the map and says what the proof finds.
// tests/unit/weave/golden_test.cc has more of them for counters, loops and paths.
#include "verify/verify.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"
#include "format/facts/call_marks.h"
#include "mutation/woven_case.h"
#include "weave/sim/model_choice.h"

namespace chord::verify {
namespace {

// Written by a compiler, says the last line: hand-written code shows no convention.
std::string function(const std::string &body) {
  return "\t.text\n\t.globl f\n\t.type f, @function\nf:\n\t.cfi_startproc\n" + body +
         "\t.cfi_endproc\n\t.size f, .-f\n\t.ident \"GCC: (GNU) 12.2.0\"\n";
}

const std::string kBranch = function(
    "\ttestl %edi, %edi\n\tje .L2\n\tmovl $1, %eax\n\tret\n"
    ".L2:\n\tmovl $2, %eax\n\tret\n");
const std::string kCall = function(
    "\tpushq %rbx\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 3, -16\n\tmovl %edi, %ebx\n\tcall g\n\taddl %ebx, %eax\n"
    "\tpopq %rbx\n\t.cfi_def_cfa_offset 8\n\tret\n");

class Woven {
 public:
  Woven(const std::string &text, const std::string &mode) : case_(mutation::weave_case("text", text, mode)) {}
  // Likewise, with metrics as the driver has resolved them.
  Woven(const std::string &text, const std::string &mode, std::vector<format::MetricRequest> metrics) : Woven(text, mode) {
    weave::Options options = mutation::options_of(mode);
    options.metrics = std::move(metrics);
    for (const format::MetricRequest &m : options.metrics) {
      if (weave::names_model(m.text)) weave::choose_model(m.text, options.models);
    }
    case_->woven = weave_unit(case_->unit, options, {"map", "runtime"});
    case_->inserted.clear();
    for (const auto &range : case_->woven.inserted) case_->inserted.push_back({range.begin, range.end});
  }

  const std::string &text() const { return case_->woven.text; }
  format::Procedure &map() { return case_->woven.map.procedures[0]; }
  format::UnitMap &unit() { return case_->woven.map; }

  // The first `from` after `after` becomes `to`.
  Woven &replace(const std::string &from, const std::string &to, const std::string &after = "f:\n") {
    size_t start = text().find(after), at = text().find(from, start == std::string::npos ? 0 : start);
    EXPECT_NE(at, std::string::npos) << "no " << from << " in\n" << text();
    if (at == std::string::npos) return *this;
    case_->woven.text.replace(at, from.size(), to);
    auto move = [&](uint32_t &end) {
      if (end > at) end = static_cast<uint32_t>(end + to.size() - from.size());
    };
    for (TextRange &range : case_->inserted) {
      move(range.begin);
      move(range.end);
    }
    return *this;
  }

  std::string fault() const {
    std::vector<Fault> faults = prove(case_->claim());
    return faults.empty() ? "" : faults[0].what;
  }

 private:
  std::unique_ptr<mutation::WovenCase> case_;
};

std::string fault(const std::string &text, const std::string &mode) { return Woven(text, mode).fault(); }
bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

// A register is set that nobody reads, as arguments by another convention are (preserve_none takes them in %r12 to %r15 and %r11): calls of
// this function may read any register, so that its loop cannot hold a counter in %r11. That the same register is wanted where setjmp returns
// again says nothing: it holds there what it did the first time.
TEST(Proof, WhatASecondReturnReadsIsNoReasonToSetIt) {
  const std::string text =
      "\t.text\n\t.globl f\n\t.type f, @function\nf:\n\t.cfi_startproc\n\tpushq %r15\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 15, -16\n"
      "\tmovl %edi, %r15d\n\tleaq buffer(%rip), %rdi\n\tcallq _setjmp@PLT\n\ttestl %eax, %eax\n\tjne .L3\n\tmovl $8, %eax\n"
      ".L2:\n\taddl %eax, %eax\n\tcmpl %r15d, %eax\n\tjl .L2\n\tmovl %eax, %r15d\n\tcallq g\n"
      "\tpopq %r15\n\t.cfi_def_cfa_offset 8\n\tretq\n.L3:\n\t.cfi_def_cfa_offset 16\n\tmovl %r15d, %eax\n\tpopq %r15\n"
      "\t.cfi_def_cfa_offset 8\n\tretq\n\t.cfi_endproc\n\t.size f, .-f\n"
      "\t.globl h\n\t.type h, @function\nh:\n\tleaq (%rdi,%rsi), %r10\n\tleaq (%rdx,%r10), %r11\n\tmovq %r11, %rax\n\txorl %ecx, %ecx\n\tretq\n"
      "\t.size h, .-h\n\t.ident \"clang version 14.0.6\"\n";
  EXPECT_EQ(fault(text, "default"), "");
}

// A map that has a jump by a table leave its function: what the table leads to would be counted as called, or not at all.
TEST(Proof, AJumpThatStaysDoesNotLeave) {
  Woven woven(base::read_file(CHORD_GOLDEN_FOLDER "/table_after_second_return.s"), "default");
  ASSERT_EQ(woven.fault(), "");
  size_t changed = 0;
  for (format::Edge &e : woven.map().edges) {
    if (e.kind != format::EdgeKind::dispatch || woven.map().blocks[e.from].kind != format::VertexKind::code || ++changed != 2) continue;
    e.kind = format::EdgeKind::tail_call;
    e.to = core::Vertex(1);
  }
  EXPECT_GE(changed, 2u);
  EXPECT_EQ(woven.fault(), "the map lets a jump leave the function that goes on in it");
}

// A function whose address is taken, a call through a register, and inline assembly that begins with a call.
TEST(Proof, FlagsAreNotHandedToInlineAssembly) {
  const std::string text =
      "\t.file \"f.c\"\n\t.text\n\t.type handler, @function\nhandler:\n\tmovq where(%rip), %rax\n\tmovq %rax, 168(%rdx)\n\tret\n\t.size handler, .-handler\n" +
      function("\tpushq %rbx\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 3, -16\n\tmovabsq $handler, %rsi\n\tmovabsq $sigaction, %rax\n\tcall *%rax\n"
               "#APP\n\tcall is_odd\n\tsetc %bl\n#NO_APP\n\tmovzbl %bl, %eax\n\tpopq %rbx\n\t.cfi_def_cfa_offset 8\n\tret\n");
  for (const std::string &mode : mutation::all_modes()) EXPECT_EQ(fault(text, mode), "") << mode;
}

TEST(Proof, AcceptsWhatIsRightInEveryMode) {
  for (const std::string &mode : mutation::all_modes()) {
    EXPECT_EQ(fault(kBranch, mode), "") << mode;
    EXPECT_EQ(fault(kCall, mode), "") << mode;
  }
}

const std::string kCount = "incq\t%fs:.Lchord_c0@tpoff+0";

TEST(Proof, ARegisterIsFreeOnlyWhereNobodyWantsIt) {
  EXPECT_EQ(Woven(kBranch, "default").replace(kCount, "movl\t$9,%eax\n\t" + kCount).fault(), "") << "it is about to be set";
  EXPECT_EQ(Woven(kBranch, "default").replace(kCount, "movl\t$9,%ebx\n\t" + kCount).fault(), "a probe destroys what is live: register 3");
}

TEST(Proof, ACounterIsTheProceduresAndGoesUpByOne) {
  EXPECT_EQ(Woven(kBranch, "default").replace(kCount, "addq\t$1,%fs:.Lchord_c0@tpoff+0").fault(), "");
  EXPECT_NE(Woven(kBranch, "default").replace(kCount, "addq\t$2,%fs:.Lchord_c0@tpoff+0").fault(), "");
  EXPECT_NE(Woven(kBranch, "default").replace(kCount, "incq\t%fs:.Lchord_c0@tpoff+8").fault(), "");
  EXPECT_NE(Woven(kBranch, "default").replace(kCount, "incq\t%fs:.Lchord_c0@tpoff+80").fault(), "");
  EXPECT_NE(Woven(kBranch, "default").replace(kCount, "nopl\t(%rax)").fault(), "") << "not counted";
  EXPECT_EQ(Woven(kBranch, "default").replace(kCount, "incq\t.Lchord_c0(%rip)").fault(), "a probe changes memory that is no counter of the procedure");
  EXPECT_EQ(Woven(kBranch, "atomic").replace("lock incq", "incq").fault(), "a counter of all threads is changed without a lock");
}

TEST(Proof, TheOriginalIsThereAndControlGoesWhereItWent) {
  EXPECT_NE(Woven(kBranch, "default").replace("movl $1, %eax", "movl $3, %eax").fault(), "");
  EXPECT_NE(Woven(kBranch, "default").replace("je ", "jne ").fault(), "");
  EXPECT_NE(Woven(kBranch, "default").replace("ret\n", "nop\n").fault(), "");
}

// A tail call through memory beside a switch: no word in memory has an address of the function's own, unless it stores one.
TEST(PathProof, AJumpThroughMemoryLeavesWhereNoAddressIsStored) {
  auto with = [](const std::string &kept) {
    return function(
        "\tcmpl $1, 60(%rdi)\n\tja .L4\n\tmovl 60(%rdi), %eax\n\tleaq .L1(%rip), %rdx\n\tmovslq (%rdx,%rax,4), %rax\n\taddq %rdx, %rax\n" + kept +
        "\tjmp *%rax\n\t.section .rodata\n\t.align 4\n.L1:\n\t.long .L2-.L1\n\t.long .L3-.L1\n\t.text\n"
        ".L2:\n\tmovl $1, %esi\n\tjmp g\n.L3:\n\txorl %esi, %esi\n\tjmp g\n.L4:\n\tmovq (%rdi), %rax\n\tjmp *(%rax)\n");
  };
  EXPECT_EQ(fault(with(""), "paths"), "");
  EXPECT_EQ(fault(with("\tmovq %rax, 8(%rdi)\n"), "paths"), "the frame is gone too early");
}

// After a call of what never comes back nothing is read: %r11 is not a variable of the whole program.
TEST(PathProof, NothingIsReadAfterACallThatNeverComesBack) {
  auto with = [](const std::string &binding, const std::string &called) {
    return "\t.text\n\t" + binding + " fatal\n\t.type fatal, @function\nfatal:\n\t.cfi_startproc\n\tsubq $8, %rsp\n\t.cfi_def_cfa_offset 16\n\tcall abort\n" +
           "\t.cfi_endproc\n\t.size fatal, .-fatal\n" +
           function("\ttestq %rdi, %rdi\n\tje .L2\n\tmovl %esi, %r11d\n\tleaq 1(%rdi), %rdi\n\tleaq 1(%rsi), %rsi\n\ttestl %esi, %esi\n\tjne .L4\n"
                    "\tmovl $1, %eax\n\tret\n.L2:\n\tcall " + called + "\n.L4:\n\tmovl %r11d, -4(%rsp)\n\tmovl -4(%rsp), %eax\n\tret\n");
  };
  EXPECT_EQ(fault(with(".globl", "fatal"), "paths"), "");
  const std::string refused = "a probe destroys what is live: register 11";
  EXPECT_EQ(fault(with(".weak", "fatal"), "paths"), refused);
  EXPECT_EQ(fault(with(".globl", "fatal@PLT"), "paths"), refused);
}

// Compilers set the frame pointer, saved before, in functions that have no use for it, and calls read it no more than others do.
TEST(PathProof, AFramePointerThatNobodyReadsIsNoArgument) {
  const std::string text =
      "\t.text\n\t.type f, @function\nf:\n\t.cfi_startproc\n\tpushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 6, -16\n\tpushq %rbx\n"
      "\t.cfi_def_cfa_offset 24\n\t.cfi_offset 3, -24\n\tpushq %rax\n\t.cfi_def_cfa_offset 32\n\tmovq %rdi, %rbx\n\tcallq *40(%rdi)\n\tmovl %eax, %ebp\n"
      "\ttestl %eax, %eax\n\tje .L1\n\tmovq %rbx, %rdi\n\tcallq *48(%rbx)\n.L1:\n\taddq $8, %rsp\n\t.cfi_def_cfa_offset 24\n\tpopq %rbx\n"
      "\t.cfi_def_cfa_offset 16\n\tpopq %rbp\n\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\n\t.size f, .-f\n\t.ident \"Debian clang version 14.0.6\"\n";
  EXPECT_EQ(fault(text, "contexts"), "");
}

// A branch to another function leaves by code out of line.
TEST(PathProof, TheFrameIsAsItWasWhereABranchLeaves) {
  const std::string text = function("\ttestl %edi, %edi\n\tje g\n\tmovl $1, %eax\n\tret\n");
  EXPECT_EQ(fault(text, "paths-events"), "");
  EXPECT_EQ(Woven(text, "paths-events").replace("\tleaq\t16(%rsp),%rsp\n\t.cfi_adjust_cfa_offset -16\n", "", ".Lchord_s0_0:\n").fault(), "it leaves a frame that is still wider");
}

TEST(Proof, CoverageSetsFlagsOnceAndForAll) {
  EXPECT_NE(Woven(kBranch, "coverage").replace("movb\t$1,.Lchord_c0+0", "movb\t$1,.Lchord_c0+1").fault(), "");
}

// ---- calling contexts: in kCall a word of the frame keeps the record ----

TEST(ContextProof, ACallIsToldByItsOwnSlot) {
  Woven w(kCall, "contexts");
  ASSERT_TRUE(has(w.text(), "leaq\t72(%r")) << w.text();
  EXPECT_EQ(w.replace("leaq\t72(%r", "leaq\t88(%r").fault(), "a call is told to be another one");
}

TEST(ContextProof, WhatWasInForceIsPutBack) {
  EXPECT_EQ(Woven(kCall, "contexts").replace("popq\t%fs:__chord_site@tpoff", "leaq\t8(%rsp),%rsp").fault(), "what was in force at the entry is not put back");
  EXPECT_EQ(Woven(kCall, "contexts").replace("pushq\t8(%r", "pushq\t(%r").fault(), "what is to be put back is not kept");
}

TEST(ContextProof, CountsGoToTheProceduresOwnRecord) {
  EXPECT_NE(Woven(kCall, "contexts").replace("incq\t64(", "incq\t72(").fault(), "");
  EXPECT_NE(Woven(kCall, "contexts").replace("cmpq\t$.Lchord_c0@tpoff", "cmpq\t$.Lchord_c1@tpoff").fault(), "");
}

TEST(ContextProof, TheRuntimeIsToldWhereTheFrameIs) {
  Woven w(kCall, "contexts");
  ASSERT_TRUE(has(w.text(), "\t.long 1, 32, 0, 24\n")) << w.text();
  EXPECT_EQ(Woven(kCall, "contexts").replace("\t.long 1, 32, 0, 24\n", "\t.long 1, 40, 0, 24\n").fault(), "the runtime is not told where its frame is");
  EXPECT_EQ(Woven(kCall, "contexts").replace("\t.long 1, 32, 0, 24\n", "\t.long 1, 32, 0, 16\n").fault(), "the runtime is not told where its frame is");
}

TEST(ContextProof, RulesFollowTheWiderFrame) {
  EXPECT_NE(Woven(kCall, "contexts").replace("\t.cfi_adjust_cfa_offset 8\n", "\t.cfi_adjust_cfa_offset 16\n").fault(), "");
  EXPECT_NE(Woven(kCall, "contexts").replace(".cfi_def_cfa_offset 32", ".cfi_def_cfa_offset 16").fault(), "");
}

TEST(ContextProof, NothingIsWrittenWhereTheUnwinderFindsWhatWasPopped) {
  const std::string text = base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/contexts_calls.s");
  EXPECT_EQ(fault(text, "contexts"), "");
  EXPECT_EQ(Woven(text, "contexts").replace("movq\t%r15,-96(%rsp)", "movq\t%r15,-8(%rsp)").fault(), "a store below the stack pointer: movq %r15,-8(%rsp)");
}

// __builtin_longjmp: the frame that is left is not where the stack pointer stands.
TEST(ContextProof, AFrameIsNotMadeWiderByWhatLoadsAnotherStackPointer) {
  const std::string jump = function("\tmovq -16(%rsp), %rcx\n\tmovq -8(%rsp), %rsp\n\tjmpq *%rcx\n");
  Woven w(jump, "contexts");
  EXPECT_EQ(w.fault(), "");
  EXPECT_FALSE(has(w.text(), "__chord_site@tpoff")) << w.text();
}

// ---- paths in contexts: what holds the record is ahead of it by the number of the path ----

std::string wrong_paths(const std::string &from, const std::string &to, const std::string &after = "f:\n") {
  static const std::string text = base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/contexts_calls.s");
  return Woven(text, "contexts-paths").replace(from, to, after).fault();
}

TEST(ContextPathProof, TheRecordIsFoundAgainByRounding) {
  EXPECT_EQ(wrong_paths("andq\t$-64,%r11", "andq\t$-64,%r11"), "") << "it is right";
  EXPECT_EQ(wrong_paths("andq\t$-64,%r11", "andq\t$-128,%r11"), "a record is looked for elsewhere: andq $-128,%r11");
  EXPECT_EQ(wrong_paths("andq\t$-64,%r11", "andq\t$-32,%r11"), "a record is looked for elsewhere: andq $-32,%r11");
  EXPECT_EQ(wrong_paths("andq\t$-64,%r11", "nopl\t(%rax)"), "a call is told to be another one") << "how far it is ahead differs here";
  EXPECT_EQ(wrong_paths("andq\t$-64,%r15", "nopl\t(%rax)", ".Lchord_s0_0:"), "the path register is not what the map says") << "the number starts anew";
  EXPECT_EQ(wrong_paths("leaq\t24(%r15),%r15", "leaq\t64(%r15),%r15"), "the path register is not what the map says");
  EXPECT_EQ(wrong_paths("\t.balign 64\n.Lchord_z0", "\t.balign 32\n.Lchord_z0"), "a procedure's record of contexts is not as the runtime reads it") << "the spare record";
  EXPECT_NE(wrong_paths("\t.long 393218, 24, 0, 8\n", "\t.long 458754, 24, 0, 8\n"), "") << "records are multiples of another number";
}

TEST(ContextPathProof, EachPathIsCountedUnderItsNumber) {
  EXPECT_EQ(wrong_paths("incq\t80(%r15)", "incq\t72(%r15)"), "a path is counted under another number");
  EXPECT_EQ(wrong_paths("incq\t64(%r15)", "incq\t56(%r15)", ".Lchord_s0_0:"), "a path is counted under another number");
  EXPECT_EQ(wrong_paths("incq\t80(%r15)", "nopl\t(%rax)"), "a path is not counted when it returns");
}

TEST(ContextProof, WhoeverIsInterruptedOnTheWayOutHasItsRecord) {
  EXPECT_EQ(wrong_paths("movq\t%r15,-96(%rsp)", "movq\t%r15,-88(%rsp)"), "a store below the stack pointer: movq %r15,-88(%rsp)");
  EXPECT_EQ(wrong_paths("movq\t%r15,-96(%rsp)", "nopl\t(%rax)"), "the record is not left where the runtime looks for it");
  EXPECT_EQ(wrong_paths("nopl\t0x6374430f(%rax)", "nopl\t0x6374430e(%rax)"), "the runtime is not told where the record of its context is");
  EXPECT_EQ(wrong_paths("nopl\t.Lchord_c0@tpoff(%rax)", "nopl\t.Lchord_c1@tpoff(%rax)"), "the runtime is not told where the record of its context is");
  EXPECT_EQ(fault(function("\tret\n"), "contexts"), "") << "it is left where it begins, and no register keeps its record";
}

TEST(ContextProof, AJumpIsACallIfItsTargetKeepsARecord) {
  EXPECT_EQ(wrong_paths("jne\t.Lchord_x0_7", "je\t.Lchord_x0_7"), "a jump is taken for a call where it is none, or the other way round");
  EXPECT_EQ(wrong_paths("cmpq\t$0,.Lchord_j0_1", "cmpq\t$1,.Lchord_j0_1"), "a jump is taken for a call where it is none, or the other way round");
}

// ---- models ----

TEST(ModelProof, TheRuntimeIsToldOfWhatIsNotInTheLine) {
  const std::string load = function("\tmovl 4(%rdi), %eax\n\tret\n");
  auto wrong = [&](const std::string &from, const std::string &to) { return Woven(load, "models").replace(from, to).fault(); };
  EXPECT_EQ(fault(load, "models"), "");
  const std::string nothing = "nopl\t(%rax)", told = "a model is not told of what is accessed", tells_nothing = "a jump on a comparison that tells nothing";
  const std::string text = Woven(load, "models").text();
  size_t shift = text.find("shrl\t$3,"), limit = text.find("cmpq\t$60,"), call = text.find("call\t__chord_reference_here");
  ASSERT_TRUE(shift != std::string::npos && limit != std::string::npos && call != std::string::npos) << text;
  EXPECT_EQ(wrong("call\t__chord_reference_here", nothing), told);
  EXPECT_TRUE(wrong("shrl\t$3,", "shrl\t$4,").starts_with("a set is looked for beyond those of the model"));
  EXPECT_EQ(wrong("cmpq\t$60,", "cmpq\t$61,"), "what is accessed may be in two lines");
  EXPECT_TRUE(wrong("\tsubq\t(", "\taddq\t(").starts_with(tells_nothing));
  EXPECT_TRUE(wrong("\taddq\t(", "\tsubq\t(").starts_with("a model is told of another place than was looked for"));
}

TEST(ModelProof, EachAccessIsToldOnceInOrderAtItsAddress) {
  const std::string loads = function("\tmovl 4(%rdi), %eax\n\taddl 8(%rdi), %eax\n\tmovl %eax, (%rsi)\n\tret\n");
  auto wrong = [&](const std::string &from, const std::string &to) { return Woven(loads, "models").replace(from, to).fault(); };
  const std::string another = "the model of a cache is told of another access than it makes";
  EXPECT_EQ(fault(loads, "models"), "");
  const std::string text = Woven(loads, "models").text();
  for (const char *part : {"leaq\t4(%rdi),", "leaq\t(%rsi),", "leaq\t4(%rax),", "pushq\t$.Lchord_v0@tpoff+8\n"}) ASSERT_TRUE(has(text, part)) << part << text;
  EXPECT_EQ(wrong("leaq\t4(%rdi),", "leaq\t5(%rdi),"), another);
  EXPECT_EQ(wrong("leaq\t4(%rdi),", "leaq\t4(%rsi),"), another);
  EXPECT_EQ(wrong("leaq\t(%rsi),", "leaq\t(%rax),"), another);
  EXPECT_NE(wrong("leaq\t4(%rax),", "leaq\t3(%rax),"), "") << "the second of a group";
  EXPECT_EQ(wrong("pushq\t$.Lchord_v0@tpoff+8\n", "pushq\t$.Lchord_v0@tpoff+0\n"), "the model of a cache is told of accesses in another order");
  const std::string moved = function("\tpushq %rbx\n\tpushq %rbp\n\tmovq %rdi, %rbp\n\tmovq %rsi, %rbx\n\tcall g\n\tpopq %rbp\n\tpopq %rbx\n\tret\n");
  EXPECT_EQ(fault(moved, "models"), "") << "the stack pointer is followed";
}

TEST(ModelProof, CodeIsLookedForWithAllItsLines) {
  const std::string code = function("\taddl %esi, %edi\n\tje .L1\n\taddl $7, %edi\n.L1:\n\tmovl %edi, %eax\n\tret\n");
  auto wrong = [&](const std::string &from, const std::string &to) { return Woven(code, "models-code").replace(from, to).fault(); };
  EXPECT_EQ(fault(code, "models-code"), "");
  const std::string text = Woven(code, "models-code").text();
  size_t at = text.find("\tcmpq\t$");
  ASSERT_TRUE(at != std::string::npos) << text;
  std::string line = text.substr(at + 7, text.find(',', at) - at - 7);
  EXPECT_EQ(wrong(line + ",", "64,"), "a model is not told of all lines of the code");
  EXPECT_EQ(wrong("\tsete\t", "\tsetne\t"), "the model of branches is told that it does something else");
  EXPECT_EQ(wrong("\txorl\t$", "\txorl\t$1"), "a branch is predicted by another counter");
  EXPECT_EQ(wrong("\tandl\t$4095,", "\tandl\t$2047,"), "a branch is predicted by another history");
}

// All of it elsewhere, so that lines and counters are as they should be to each other.
TEST(ModelProof, CodeIsWhereItsUnitIs) {
  Woven w(function("\taddl %esi, %edi\n\tje .L1\n\taddl $7, %edi\n.L1:\n\tmovl %edi, %eax\n\tret\n"), "models-code");
  EXPECT_EQ(w.fault(), "");
  w.unit().unit = "another.c";
  EXPECT_EQ(w.fault(), "the model is told of code at another address");
}

// ---- paths ----

// Until the call has returned, the number by which the path was counted is still told of an activation that ends there.
TEST(PathProof, TheRegisterKeepsWhatWasCountedAhead) {
  const std::string twice = base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/paths_second_return.s"), count = "incq\t%fs:.Lchord_c0@tpoff+0(,%r15,8)";
  EXPECT_EQ(fault(twice, "gauges-paths"), "");
  EXPECT_EQ(Woven(twice, "gauges-paths").replace(count, count + "\n\tmovl\t$7,%r15d").fault(), "the path register is not what the map says");
}

// ---- the map ----

// A landing pad that is jumped to as well: the jump is no landing.
TEST(MapProof, JumpsDoNotLand) {
  Woven w(base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/endbr_in_second_stub.s"), "paths");
  EXPECT_EQ(w.fault(), "");
  format::Procedure &map = w.map();
  for (format::Edge &edge : map.edges) {
    if (edge.kind != format::EdgeKind::taken) continue;
    for (const format::Edge &on : map.edges) {
      if (on.from == 0 || on.to != edge.to || map.blocks[on.from].kind != format::VertexKind::landing) continue;
      edge.to = on.from;
      EXPECT_TRUE(has(w.fault(), "that lands")) << w.fault();
      return;
    }
  }
  FAIL() << "no such jump";
}

// Code that nothing leads to falls into a table's target, not to the vertex that stands for all of them.
TEST(MapProof, OnlyTablesLeadToTables) {
  Woven w(base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/paths_lost_slot.s"), "default");
  EXPECT_EQ(w.fault(), "");
  format::Procedure &map = w.map();
  for (core::Vertex v = 0; v < map.blocks.size(); ++v) {
    if (map.blocks[v].kind != format::VertexKind::dispatch) continue;
    for (format::Edge &edge : map.edges) {
      if (edge.kind != format::EdgeKind::fall || map.blocks[edge.from].kind != format::VertexKind::code) continue;
      edge.to = v;
      EXPECT_NE(w.fault(), "");
      return;
    }
  }
  FAIL() << "no such edge";
}

// A table names labels on both sides of padding: one edge leads through it, one past it, and neither stands for the other.
TEST(MapProof, EachWayThroughPaddingIsAnEdgeOfItsOwn) {
  Woven w(base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/label_before_padding.s"), "events-pic");
  EXPECT_EQ(w.fault(), "");
  format::Procedure &map = w.map();
  std::vector<format::Edge *> by_table;
  for (format::Edge &edge : map.edges) {
    if (map.blocks[edge.from].kind == format::VertexKind::dispatch) by_table.push_back(&edge);
  }
  ASSERT_EQ(by_table.size(), 4u);
  for (format::Edge *edge : by_table) {
    auto right = edge->to;
    for (format::Edge *other : by_table) {
      if (other->to == right) continue;
      edge->to = other->to;
      EXPECT_NE(w.fault(), "") << right << " is " << other->to;
    }
    edge->to = right;
  }
}

// A register is popped before the last access: while the probe there pushes, its rule is taken back, and comes again as it is in the wider frame.
const std::string kPopped = function(
    "\tpushq %rbx\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 3, -16\n\tmovl %edi, %ebx\n\tcall g\n\tmovl sink(%rip), %eax\n"
    "\tpopq %rbx\n\t.cfi_def_cfa_offset 8\n\tmovl %eax, sink(%rip)\n\tret\n");

// The caller's is in the red zone, and the leaf works with its own: the rule must not be taken back.
TEST(ModelProof, RulesOfRegistersInTheRedZoneStay) {
  const std::string leaf = function("\tmovq %rbx, -8(%rsp)\n\t.cfi_offset 3, -16\n\tmovl %edi, %ebx\n\tmovl sink(%rip), %eax\n\taddl %ebx, %eax\n\tmovq -8(%rsp), %rbx\n\tret\n");
  EXPECT_EQ(fault(leaf, "models"), "");
  EXPECT_NE(Woven(leaf, "models").replace("\tleaq\tsink(%rip),", "\t.cfi_restore 3\n\tleaq\tsink(%rip),").fault(), "");
}

TEST(ModelProof, RulesOfPoppedRegistersComeBackAsTheyWere) {
  Woven w(kPopped, "models-contexts");
  EXPECT_EQ(w.fault(), "");
  ASSERT_TRUE(has(w.text(), "\t.cfi_offset 3, -32\n")) << w.text();
  EXPECT_FALSE(has(w.text(), "sink(%rip)\n\t.cfi_offset 3, -16")) << w.text();
}

// ---- traces ----

TEST(TraceProof, EveryBranchAndCallWritesItsToken) {
  Woven w(kBranch, "trace");
  ASSERT_TRUE(has(w.text(), "addq\t$4,%") && has(w.text(), "addq\t$5,%")) << w.text();
  EXPECT_EQ(Woven(kBranch, "trace").replace("addq\t$4,%", "addq\t$3,%").fault(), "the trace gets another token");
  EXPECT_NE(Woven(kBranch, "trace").replace("shlq\t$3,%", "shlq\t$2,%").fault(), "");
  EXPECT_NE(Woven(kCall, "trace").replace("js\t.Lchord_to0_2", "nopl\t(%rax)").fault(), "");
  EXPECT_EQ(Woven(kCall, "trace").replace("call\t__chord_trace_flush", "nopl\t(%rax)").fault(), "a word of the trace may be full");
}

TEST(TraceProof, EdgesAddToTheNumbersOfPathsAndToNothingElse) {
  const std::string add = "addq\t$1,%fs:__chord_trace@tpoff+0", room = "shlq\t$1,%fs:__chord_trace@tpoff+0";
  Woven w(kBranch, "trace-paths");
  ASSERT_TRUE(has(w.text(), add) && has(w.text(), room) && has(w.text(), "__chord_trace_reserve")) << w.text();
  EXPECT_EQ(w.fault(), "");
  auto fault = [](const std::string &what, const std::string &by) { return Woven(kBranch, "trace-paths").replace(what, by).fault(); };
  EXPECT_NE(fault(add, "addq\t$2,%fs:__chord_trace@tpoff+0"), "");
  EXPECT_NE(fault(add, "nopl\t(%rax)"), "");
  EXPECT_NE(fault(room, "nopl\t(%rax)"), "");
  EXPECT_NE(fault(room, "shlq\t$2,%fs:__chord_trace@tpoff+0"), "");
  EXPECT_EQ(fault("call\t__chord_trace_reserve", "call\t__chord_trace_split"), "the number of a path may be torn");
  EXPECT_NE(Woven(kCall, "trace").replace("shlq\t%fs:__chord_trace@tpoff+0", add + "\n\tshlq\t%fs:__chord_trace@tpoff+0").fault(), "") << "no path is numbered";
}

// A function that only its own file can name.
const std::string kTaken = [] {
  std::string text = kCall;
  text.erase(text.find("\t.globl"), text.find('\n', text.find("\t.globl")) + 1 - text.find("\t.globl"));
  return text.insert(text.find("\t.ident"), "\t.data\n\t.quad\tf\n");
}();

TEST(TraceProof, AnEntryWritesTheNumberOfItsOwnRecord) {
  auto fault = [](std::string_view what, std::string_view by) { return Woven(kTaken, "trace").replace(std::string(what), std::string(by)).fault(); };
  EXPECT_EQ(Woven(kTaken, "trace").fault(), "");
  EXPECT_EQ(fault("movq\t%r10,%fs:__chord_trace@tpoff+0", "nopl\t(%rax)"), "the trace lacks a token");
  EXPECT_EQ(fault("movl\t$.Lchord_p0-.Lchord_tb0_0", "movl\t$.Lchord_c0-.Lchord_tb0_0"), "the trace says that another procedure is entered");
  EXPECT_EQ(fault("subl\t$__start_chord_procs-.Lchord_tb0_0", "subl\t$__start_chord_procs-.Lchord_tb0_1"), "a probe that changes half a register: subl $__start_chord_procs-.Lchord_tb0_1,%r11d");
  EXPECT_EQ(fault("leaq\t6291456(%r10,%r11),%r10", "leaq\t6291456(%r10),%r10"), "the trace gets another token");
  EXPECT_EQ(fault("cmpl\t$256,", "cmpl\t$512,"), "a word of the trace may be full: movq %r10,%fs:__chord_trace@tpoff+0");
  EXPECT_EQ(fault("leal\t392167424(%r11)", "leal\t392167425(%r11)"), "a token that is not known: call __chord_trace_split");
  EXPECT_NE(fault("shrl\t$3,%r11d", "shrl\t$2,%r11d"), "");
}

TEST(TraceProof, WhoIsExpectedComparesItsOwnMarkAndElseSaysWhoItIs) {
  const std::string own = fmt::format("cmpl\t${},%fs:__chord_trace@tpoff+48", format::call_mark("f"));
  const std::string other = fmt::format("cmpl\t${},%fs:__chord_trace@tpoff+48", format::call_mark("g"));
  auto fault = [](const std::string &what, const std::string &by) { return Woven(kCall, "trace").replace(what, by).fault(); };
  EXPECT_EQ(Woven(kCall, "trace").fault(), "");
  EXPECT_EQ(fault(own, other), "the trace says that another procedure is entered");
  EXPECT_EQ(fault(own, "nopl\t(%rax)"), "the trace is told of an entry without a reason: call __chord_trace_announce");
  EXPECT_NE(fault("jne\t.Lchord_to0_0", "je\t.Lchord_to0_0"), "");
  EXPECT_EQ(fault("movl\t$0,%fs:__chord_trace@tpoff+48", "nopl\t(%rax)"), "the trace is told of an entry without a reason: call __chord_trace_announce");
  EXPECT_EQ(fault("movl\t$.Lchord_p0-.Lchord_tb0_0", "movl\t$.Lchord_c0-.Lchord_tb0_0"), "the trace says that another procedure is entered");
  EXPECT_NE(fault("call\t__chord_trace_announce", "nopl\t(%rax)"), "");
  EXPECT_NE(fault("call\t__chord_trace_announce", "call\t__chord_trace_enter"), "") << "it would not clear the mark";
}

TEST(TraceProof, ACallLeavesTheMarkOfWhatItCalls) {
  const std::string mark = fmt::format("movl\t${},%fs:__chord_trace@tpoff+48", format::call_mark("g"));
  auto fault = [&](const std::string &by) { return Woven(kCall, "trace").replace(mark, by).fault(); };
  EXPECT_EQ(fault("nopl\t(%rax)"), "a call does not leave its mark");
  EXPECT_EQ(fault("movl\t$0,%fs:__chord_trace@tpoff+48"), "a call does not leave its mark");
  EXPECT_EQ(fault("movl\t$1,%fs:__chord_trace@tpoff+48"), "a call does not leave its mark");
  EXPECT_NE(fault("movq\t$1,%fs:__chord_trace@tpoff+48"), "");
  EXPECT_EQ(Woven(kBranch, "trace").replace("cmpl\t$268435456", mark + "\n\tcmpl\t$268435456").fault(), "a call does not leave its mark") << "nothing is called";
}

// A jump to another procedure, too, unless it may not be taken.
TEST(TraceProof, AJumpThatLeavesLeavesTheMarkOfWhereItGoes) {
  const std::string mark = fmt::format("movl\t${},%fs:__chord_trace@tpoff+48", format::call_mark("h"));
  const auto ending = [](const std::string &with) {
    std::string text = kCall;
    return text.replace(text.rfind("\tret\n"), 5, with);
  };
  const std::string jumps = ending("\tjmp h\n"), may_jump = ending("\ttestl %eax, %eax\n\tjne h\n\tret\n");
  EXPECT_EQ(Woven(jumps, "trace").fault(), "");
  EXPECT_EQ(Woven(jumps, "trace").replace(mark, "nopl\t(%rax)").fault(), "a call does not leave its mark");
  EXPECT_EQ(Woven(jumps, "trace").replace(mark, fmt::format("movl\t${},%fs:__chord_trace@tpoff+48", format::call_mark("g"))).fault(), "a call does not leave its mark");
  const Woven may(may_jump, "trace");
  EXPECT_EQ(may.fault(), "");
  EXPECT_EQ(may.text().find(mark), std::string::npos);
}

// A procedure that only its file can name has a mark of its own, which calls of it leave.
TEST(TraceProof, AnOwnProcedureIsExpectedByItsKey) {
  std::string text = kTaken;
  text.replace(text.find("call g"), 6, "call f");
  Woven woven(text, "trace");
  EXPECT_EQ(woven.fault(), "");
  const uint32_t own = format::own_mark(woven.map().key);
  EXPECT_EQ(format::mark_of_entry(woven.map()), own);
  ASSERT_EQ(woven.map().plan.own_calls.size(), 1u);
  EXPECT_EQ(woven.map().plan.own_calls[0].mark, own);
  EXPECT_NE(own, format::call_mark("f"));
  const std::string compares = fmt::format("cmpl\t${},%fs:__chord_trace@tpoff+48", own);
  EXPECT_EQ(Woven(text, "trace").replace(compares, fmt::format("cmpl\t${},%fs:__chord_trace@tpoff+48", format::call_mark("f"))).fault(), "the trace says that another procedure is entered");
  EXPECT_FALSE(Woven(kTaken, "trace").map().plan.compares) << "nobody calls it by its name";
}

// ---- metrics ----

TEST(MetricProof, MetersAreOpenedAndClosedInPairs) {
  EXPECT_NE(Woven(kCall, "metrics").replace("call\t__chord_meter_leave", "call\t__chord_meter_restart").fault(), "");
  EXPECT_NE(Woven(kCall, "metrics").replace("pushq\t$.Lchord_v0@tpoff+0", "pushq\t$.Lchord_v0@tpoff+8").fault(), "");
  EXPECT_NE(Woven(kCall, "metrics").replace("pushq\t$.Lchord_v0@tpoff+0", "pushq\t$.Lchord_c0@tpoff+0").fault(), "");
}

const std::vector<format::MetricRequest> kGauges = {{"tsc", "tsc"}, {"page-faults", "page-faults=1:2"}};

TEST(GaugeProof, AcceptsWhatIsRight) {
  for (const std::string &text : {kBranch, kCall}) {
    for (const char *mode : {"default", "paths", "contexts"}) {
      EXPECT_EQ(Woven(text, mode, kGauges).fault(), "") << mode;
      EXPECT_EQ(Woven(text, mode, {{"page-faults", "page-faults=1:2"}}).fault(), "") << mode;
    }
    EXPECT_EQ(Woven(text, "paths", {{"sim:l1d", "sim:l1d"}, {"sim:branch", "sim:branch"}, {"tsc", "tsc"}}).fault(), "");
  }
}

TEST(GaugeProof, MetersAreOpenedAndClosedInPairs) {
  for (const char *mode : {"default", "contexts"}) {
    EXPECT_NE(Woven(kCall, mode, kGauges).replace("call\t__chord_meter_leave_all", "call\t__chord_meter_restart_all").fault(), "") << mode;
  }
  EXPECT_EQ(Woven(kCall, "paths", kGauges).replace("call\t__chord_meter_tally_leave_flags", "call\t__chord_meter_tally_flags").fault(), "a meter runs on when it returns");
}

TEST(GaugeProof, SumsAreTheProceduresOwn) {
  EXPECT_EQ(Woven(kCall, "default", kGauges).replace("pushq\t$.Lchord_v0@tpoff+0", "pushq\t$.Lchord_v0@tpoff+8").fault(), "a meter of other sums");
  EXPECT_EQ(Woven(kCall, "default", kGauges).replace("pushq\t$.Lchord_v0@tpoff+0", "pushq\t$.Lchord_c0@tpoff+0").fault(), "sums that are not its own");
}

TEST(GaugeProof, RoutinesAreThoseOfAllReadings) {
  for (const std::string &routine : {std::string("call\t__chord_meter_enter"), std::string("call\t__chord_meter_leave")}) {
    EXPECT_EQ(Woven(kCall, "default", kGauges).replace(routine + "_all_flags", routine + "_flags").fault(), "a meter of other readings");
    EXPECT_EQ(Woven(kCall, "metrics").replace(routine + "\n", routine + "_all_flags\n").fault(), "a meter of other readings");
  }
  EXPECT_NE(Woven(kCall, "default", kGauges).replace("__chord_meter_enter_all_flags", "__chord_meter_enter_all").fault(), "") << "there is none";
}

TEST(GaugeProof, APathIsMeasuredAsItIsCounted) {
  EXPECT_NE(Woven(kBranch, "paths", kGauges).replace("pushq\t$2\n", "pushq\t$3\n").fault(), "") << "so many paths there are";
  Woven w(kBranch, "paths", kGauges);
  ASSERT_TRUE(has(w.text(), "@tpoff+32\n")) << w.text();
  EXPECT_EQ(w.replace("@tpoff+32\n", "@tpoff+16\n").fault(), "a path is measured under another number than it is counted");
}

TEST(GaugeProof, TheRuntimeReadsWhatTheSumsAreOf) {
  auto told = [](const std::string &from, const std::string &to) { return Woven(kCall, "default", kGauges).replace(from, to, "__chord_gauges:\n").fault(); };
  EXPECT_EQ(told(".quad 2\n", ".quad 1\n"), "the runtime is not told what its meters read");
  EXPECT_EQ(told(".long 1, 0", ".long 2, 0"), "meters read something else than their sums are of");
  Woven w(kCall, "default", kGauges);
  std::swap(w.map().metrics[1], w.map().metrics[2]);
  EXPECT_EQ(w.fault(), "sums of meters are not in the order that the runtime knows");
}

TEST(ModelProof, SumsAreTheProceduresOwn) {
  EXPECT_NE(Woven(kCall, "models").replace("pushq\t$.Lchord_v0@tpoff+0", "pushq\t$.Lchord_v0@tpoff+800").fault(), "");
  EXPECT_EQ(Woven(kCall, "models").replace("andl\t$504", "andl\t$1016").fault(), "a set is looked for beyond those of the model");
}

// A register that finds the counter is not taken for the address, even if it is put back.
TEST(ModelProof, TheRecordIsNotOverwrittenWhereItIsNeeded) {
  const std::string leaf = function("\tleal (%rdi,%rdi), %eax\n\tret\n");
  EXPECT_EQ(fault(leaf, "models-contexts"), "");
}

// ---- chosen paths ----

TEST(ChosenPathProof, OnlyChosenPathsAreCountedAsSuch) {
  Woven w(kBranch, "chosen");
  ASSERT_EQ(w.fault(), "");
  ASSERT_FALSE(w.map().plan.paths.slots.empty());
  w.map().plan.paths.slots[0] += 1;
  EXPECT_NE(w.fault(), "");
}

}  // namespace
}  // namespace chord::verify
