// Inserted instructions one by one: what the proof takes for harmless, and the smallest change that makes it refuse.
#include "verify/flow/x86_64_machine.h"

#include <gtest/gtest.h>

#include <set>

#include "verify/claims/context_procs.h"

namespace chord::verify {
namespace {

// Where a probe stands if nothing else is said: the red zone may be in use, nothing is known of the frame.
StackFacts anywhere() { return {}; }
StackFacts at_call() {
  StackFacts s;
  s.red_zone_dead = true;
  return s;
}
StackFacts in_wider_frame() {
  StackFacts s = at_call();
  s.stack_at = -16;
  s.own_words = true;
  return s;
}

class Probe {
 public:
  Probe(std::string text, const StackFacts &around = anywhere()) : text_(std::move(text)), machine_(atoms_, around) {
    read_source(text_, source_);
    for (uint32_t s = 0; s < source_.statements.size() && fault_.empty(); ++s) {
      if (source_.statements[s].kind != assembly::StatementKind::instruction) continue;
      std::optional<ProbeInstruction> p = read_probe(source_.statements[s]);
      fault_ = p ? machine_.execute(*p, s) : "not read";
      if (p && is_conditional(p->op) && fault_.empty()) fault_ = machine_.branch(p->op, false);
    }
  }

  const std::string &fault() const { return fault_; }
  const Machine &machine() const { return machine_; }
  // Numbers of general registers that are not what they were, and "flags".
  std::string changes() const {
    std::string out;
    for (const auto &[atom, value] : machine_.changed()) out += (out.empty() ? "" : " ") + std::to_string(atom);
    for (unsigned f = 0; f < kFlagCount; ++f) {
      if (!machine_.keeps_flag(f)) return out + (out.empty() ? "flags" : " flags");
    }
    return out;
  }

 private:
  std::string text_;
  assembly::Source source_;
  Atoms atoms_;
  Machine machine_;
  std::string fault_;
};

std::string fault(const std::string &text, const StackFacts &around = anywhere()) { return Probe(text, around).fault(); }
std::string changes(const std::string &text, const StackFacts &around = anywhere()) {
  Probe p(text, around);
  return p.fault().empty() ? p.changes() : p.fault();
}

TEST(Registers, AreKeptByWhatPutsThemBack) {
  EXPECT_EQ(changes("movl $1,%eax\n"), "0");
  EXPECT_EQ(changes("leaq -128(%rsp),%rsp\npushq %rax\nmovl $1,%eax\npopq %rax\nleaq 128(%rsp),%rsp\n"), "");
  EXPECT_EQ(changes("leaq -128(%rsp),%rsp\npushq %rax\nmovl $1,%eax\npopq %rcx\nleaq 128(%rsp),%rsp\n"), "0 1");
  EXPECT_EQ(changes("leaq -128(%rsp),%rsp\npushq %rax\npushq %rcx\npopq %rax\npopq %rcx\nleaq 128(%rsp),%rsp\n"), "0 1") << "in the wrong order";
  EXPECT_EQ(changes("leaq -128(%rsp),%rsp\npushq %rax\nmovl $1,%eax\nmovq $1,%rax\nleaq 136(%rsp),%rsp\n"), "0") << "no restore";
}

TEST(Registers, LowerHalvesMayBeKeptAlone) {
  EXPECT_TRUE(Probe("leal -1(%rcx),%ecx\nleaq 1(%rcx),%rcx\n").machine().keeps_lower_half(1));
  EXPECT_FALSE(Probe("leal -1(%rcx),%ecx\nleaq 2(%rcx),%rcx\n").machine().keeps_lower_half(1));
}

TEST(Flags, AreKeptByLahfOnlyWithOverflow) {
  const std::string in = "movq %rax,%r11\nlahf\nseto %al\nincq %fs:c@tpoff\n", out = "movq %r11,%rax\n";
  EXPECT_EQ(changes("incq %fs:c@tpoff\n"), "flags");
  EXPECT_EQ(changes(in + "addb $127,%al\nsahf\n" + out), "11");
  EXPECT_EQ(changes(in + "sahf\n" + out), "11 flags") << "overflow is lost";
  EXPECT_EQ(changes(in + "sahf\naddb $127,%al\n" + out), "11 flags") << "in the wrong order";
  EXPECT_EQ(changes("leaq -128(%rsp),%rsp\npushfq\nincq %fs:c@tpoff\npopfq\nleaq 128(%rsp),%rsp\n"), "");
  EXPECT_EQ(fault("leaq -128(%rsp),%rsp\npushq %rax\npopfq\n"), "flags are popped that were not pushed");
  EXPECT_EQ(changes("leaq 1(%r11),%r11\n"), "11");
}

TEST(Stack, TheRedZoneIsTheProgramsUnlessThereIsNone) {
  EXPECT_EQ(fault("pushq %rax\n"), "a store into the red zone");
  EXPECT_EQ(fault("pushq %rax\n", at_call()), "");
  EXPECT_EQ(fault("leaq -120(%rsp),%rsp\npushq %rax\n"), "a store into the red zone");
  EXPECT_EQ(fault("leaq -128(%rsp),%rsp\npushq %rax\n"), "");
  EXPECT_EQ(fault("movq %rax,-8(%rsp)\n"), "a store below the stack pointer");
  EXPECT_EQ(fault("movq %rax,-128(%rsp)\n", at_call()), "a store below the stack pointer");
  EXPECT_EQ(fault("movq %rax,-136(%rsp)\n", at_call()), "a store below the stack pointer");
  StackFacts leaves = in_wider_frame();
  leaves.red_zone_dead = true;
  leaves.record_of = "proc";
  leaves.record_in = kRbx;
  EXPECT_EQ(fault("movq %rbx,-96(%rsp)\n", leaves), "") << "the record, where the runtime looks for it; signal handlers keep it";
  EXPECT_EQ(fault("movq %rbx,-88(%rsp)\n", leaves), "a store below the stack pointer") << "elsewhere";
  EXPECT_EQ(fault("movq %rax,-96(%rsp)\n", leaves), "a store below the stack pointer") << "something else";
  EXPECT_EQ(fault("leaq -64(%rsp),%rsp\ncall __chord_meter_leave\n"), "a call that overwrites the red zone");
}

TEST(Stack, WordsAboveAreTheProgramsButForItsOwn) {
  EXPECT_EQ(fault("movq %rax,(%rsp)\n"), "a store to a word of the program");
  EXPECT_EQ(fault("movq %rax,(%rsp)\n", in_wider_frame()), "");
  EXPECT_EQ(fault("movq %rax,8(%rsp)\n", in_wider_frame()), "");
  EXPECT_EQ(fault("movq %rax,16(%rsp)\n", in_wider_frame()), "a store to a word of the program") << "the return address";
}

TEST(Stack, WhatAPopFindsBelowIsGone) {
  EXPECT_EQ(changes("pushq %rax\nleaq 8(%rsp),%rsp\nmovl $1,%eax\nleaq -8(%rsp),%rsp\npopq %rax\n", at_call()), "0");
}

TEST(Memory, IsReadAndWrittenOnlyWhereItIsKnown) {
  EXPECT_EQ(fault("incq c(%rip)\n"), "");
  EXPECT_EQ(fault("incq (%rax)\n"), "memory is changed that is no counter");
  EXPECT_EQ(fault("incq c+4(%rip)\n"), "an address between two counters");
  EXPECT_EQ(fault("movq (%rax),%rcx\n"), "a probe reads memory that is not its own");
  EXPECT_EQ(fault("movq %rcx,c(%rip)\n"), "a store to memory that is not its own");
  EXPECT_EQ(fault("movq __chord_slot(%rip),%rax\nmovq %fs:(%rax),%rax\n"), "");
  EXPECT_EQ(fault("movq __chord_slot(%rip),%rax\nmovq %fs:8(%rax),%rax\n"), "a probe reads memory that is not its own");
  EXPECT_EQ(fault("movq __chord_slot+8(%rip),%rax\n"), "a probe reads memory that is not its own");
  EXPECT_EQ(fault("movq __chord_slots(%rip),%rax\n"), "a probe reads memory that is not its own");
  EXPECT_EQ(fault("movq %rcx,__chord_slot(%rip)\n"), "a store to memory that is not its own");
  EXPECT_EQ(fault("movb $1,c(%rip)\n"), "");
  EXPECT_EQ(fault("movb $2,c(%rip)\n"), "a byte is changed");
  EXPECT_EQ(fault("addq %rax,(%eax)\n"), "not read") << "half a register addresses other memory";
}

TEST(Counters, AreKnownByPlaceIndexAndAmount) {
  Probe p("addq $3,%fs:c@tpoff+16\n");
  ASSERT_EQ(p.machine().effects().size(), 1u);
  const Effect &e = p.machine().effects()[0];
  EXPECT_EQ(e.where, Effect::Where::thread);
  EXPECT_EQ(e.symbol, "c");
  EXPECT_TRUE(e.index == constant(2));
  EXPECT_TRUE(e.amount == constant(3));
  EXPECT_EQ(Probe("movq __chord_slot(%rip),%rax\nmovq %fs:(%rax),%rax\nincq c(%rax)\n").machine().effects()[0].where, Effect::Where::delta);
}

// What a thread keeps in a module beside counters, as code of shared objects finds it (chord_home).
TEST(Homes, AreReachedByBothOfTheirWords) {
  const std::string slot = "movq __chord_events_home(%rip),%rax\nmovq %fs:(%rax),%rax\n", base = "movq __chord_events_home+8(%rip),%rcx\n";
  Probe right(slot + base + "incq 24(%rcx,%rax)\n");
  EXPECT_EQ(right.fault(), "");
  ASSERT_EQ(right.machine().effects().size(), 1u);
  EXPECT_EQ(right.machine().effects()[0].where, Effect::Where::thread);
  EXPECT_EQ(right.machine().effects()[0].symbol, "__chord_events");
  EXPECT_TRUE(right.machine().effects()[0].index == constant(3));
  EXPECT_EQ(fault(base + "incq 24(%rcx)\n"), "a counter is looked for elsewhere") << "all threads' copy";
  EXPECT_EQ(fault(slot + "incq 24(%rax)\n"), "memory is changed that is no counter");
  EXPECT_EQ(fault(slot + base + "incq 24(%rcx,%rax,2)\n"), "a counter's index is not one of a word");
  EXPECT_EQ(fault(slot + "movq __chord_trace_home+8(%rip),%rcx\nincq 24(%rcx,%rax)\n"), "a counter is looked for elsewhere");
  EXPECT_EQ(fault("movq __chord_slot(%rip),%rax\nmovq %fs:(%rax),%rax\n" + base + "incq 24(%rcx,%rax)\n"), "a counter is looked for elsewhere");
  EXPECT_EQ(fault(slot + "incq c(%rax)\n"), "a counter is looked for elsewhere") << "the delta of counters has a word of its own";
  EXPECT_EQ(fault("movq __chord_events_home+16(%rip),%rax\n"), "a probe reads memory that is not its own");
  EXPECT_EQ(fault("movq __chord_others_home(%rip),%rax\n"), "a probe reads memory that is not its own");
  EXPECT_EQ(fault("movq %rcx,__chord_events_home(%rip)\n"), "a store to memory that is not its own");
}

TEST(Calls, AreOfTheRuntimeAlone) {
  EXPECT_EQ(fault("call __chord_meter_leave\n", at_call()), "");
  EXPECT_EQ(fault("call memcpy\n", at_call()), "a probe calls something unknown");
  EXPECT_EQ(fault("jmp *%rax\n"), "not read");
  EXPECT_EQ(changes("call __chord_trace_enter\n", at_call()), "10 11 flags");
  EXPECT_EQ(changes("call __chord_trace_enter_kept\n", at_call()), "flags");
  EXPECT_EQ(changes("call __chord_meter_leave_flags\n", at_call()), "");
  EXPECT_EQ(changes("call __chord_meter_leave_all_flags\n", at_call()), "");
  EXPECT_EQ(fault("call __chord_meter_leave_all\n", at_call()), "a probe calls something unknown");
  EXPECT_EQ(changes("pushq $0\npushq $2\npushq $c@tpoff+32\ncall __chord_meter_tally_flags\n", at_call()), "") << "it takes its arguments away";
  EXPECT_EQ(fault("pushq $0\npushq $2\npushq $32\ncall __chord_meter_tally_flags\n", at_call()), "a metric without its sums");
  EXPECT_EQ(fault("call __chord_meter_tally_all_flags\n", at_call()), "a probe calls something unknown");
  // A distance counts from the instruction that pushes it, which is right before the call.
  EXPECT_EQ(changes("pushq $c+8-.\ncall __chord_meter_enter_shared_flags\n", at_call()), "");
  EXPECT_EQ(fault("pushq $c@tpoff+8\ncall __chord_meter_enter_shared\n", at_call()), "a metric without its sums");
  EXPECT_EQ(fault("pushq $c+8-.\ncall __chord_meter_enter\n", at_call()), "a metric without its sums");
  EXPECT_EQ(fault("pushq $c+4-.\ncall __chord_meter_enter_shared\n", at_call()), "a metric without its sums");
  EXPECT_EQ(fault("pushq $c+8-.\nleaq 0(%rsp),%rsp\ncall __chord_meter_enter_shared\n", at_call()), "a metric without its sums");
  EXPECT_EQ(changes("pushq $0\npushq $c+32-.\ncall __chord_meter_path_shared_leave_flags\n", at_call()), "");
  EXPECT_EQ(changes("pushq $0\npushq $2\npushq $c+32-.\ncall __chord_meter_tally_shared_flags\n", at_call()), "") << "it takes its arguments away";
}

TEST(Trace, ATokenIsCheckedForRoom) {
  const std::string word = "%fs:__chord_trace@tpoff+0";
  EXPECT_EQ(Probe("shlq " + word + "\njs .Lout\n").machine().unfinished(), "");
  EXPECT_EQ(Probe("shlq " + word + "\n").machine().unfinished(), "a word of the trace may be full");
  EXPECT_EQ(fault("shlq " + word + "\nincq %fs:c@tpoff\njs .Lout\n"), "") << "a counter's sign; the word is unchecked";
  EXPECT_EQ(Probe("shlq " + word + "\nincq %fs:c@tpoff\njs .Lout\n").machine().unfinished(), "a word of the trace may be full");
  const std::string three = "movq " + word + ",%rax\nshlq $2,%rax\naddq $3,%rax\nmovq %rax," + word + "\n";
  EXPECT_EQ(fault("cmpl $536870912,%fs:__chord_trace@tpoff+4\njae .Lout\n" + three), "");
  EXPECT_EQ(fault("cmpl $1073741824,%fs:__chord_trace@tpoff+4\njae .Lout\n" + three), "a word of the trace may be full");
  EXPECT_EQ(fault(three), "a word of the trace may be full");
  EXPECT_NE(fault("movq " + word + ",%rax\nsubq $1,%rax\nmovq %rax," + word + "\n"), "");
  EXPECT_EQ(fault("movq " + word + ",%rax\nleaq -1(%rax),%rax\nmovq %rax," + word + "\n"), "bits of the trace are lost");
}

TEST(Trace, IsFoundThroughItsHomeInSharedObjects) {
  const std::string find = "movq __chord_trace_home(%rip),%rax\nmovq %fs:(%rax),%rax\naddq __chord_trace_home+8(%rip),%rax\n";
  const std::string two = "movq 0(%rax),%rcx\nshlq $2,%rcx\naddq $3,%rcx\nmovq %rcx,0(%rax)\n";
  EXPECT_EQ(Probe(find + "shlq 0(%rax)\njs .Lout\n").machine().unfinished(), "");
  EXPECT_EQ(fault(find + "cmpl $536870912,4(%rax)\njae .Lout\n" + two), "");
  EXPECT_EQ(fault(find + two), "a word of the trace may be full");
  EXPECT_NE(fault(find + "shlq 8(%rax)\n"), "");
  EXPECT_NE(fault("movq __chord_trace_home(%rip),%rax\nmovq %fs:(%rax),%rax\nshlq 0(%rax)\n"), "");
}

// To the number of a path. Whether one is under way, the proof of traces knows.
TEST(Trace, AnAdditionIsATokenWithoutBits) {
  const std::string word = "%fs:__chord_trace@tpoff+0";
  for (const std::string &code : {"addq $5," + word + "\n", "movq " + word + ",%rax\nleaq 5(%rax),%rax\nmovq %rax," + word + "\n"}) {
    Probe probe(code);
    EXPECT_EQ(probe.fault(), "") << code;
    ASSERT_EQ(probe.machine().effects().size(), 1u) << code;
    const Effect &effect = probe.machine().effects().back();
    EXPECT_EQ(effect.kind, Effect::Kind::token);
    EXPECT_EQ(effect.index.number, 0);
    EXPECT_EQ(effect.amount.number, 5);
  }
}

TEST(Contexts, TheRecordIsFoundByComparisonOrAsked) {
  ContextProcs procs;
  procs.names = {{"id", "proc"}, {"proc", "proc"}};
  StackFacts s = at_call();
  s.contexts = &procs;
  const std::string load = "movq %fs:__chord_site@tpoff,%r11\nmovq (%r11),%r11\n";
  Probe asked(load + "leaq proc(%rip),%r11\npushq %r11\ncall __chord_enter\npopq %r11\nincq 64(%r11)\n", s);
  EXPECT_EQ(asked.fault(), "");
  EXPECT_EQ(asked.machine().effects().back().where, Effect::Where::record);
  EXPECT_EQ(asked.machine().effects().back().symbol, "proc");
  EXPECT_EQ(fault(load + "incq 64(%r11)\n", s), "memory is changed that is no counter") << "whose record it is, is not known";
  EXPECT_EQ(fault(load + "cmpq $id@tpoff,(%r11)\njne .Lask\nincq 64(%r11)\n", s), "");
  EXPECT_EQ(fault(load + "cmpq $other@tpoff,(%r11)\njne .Lask\n", s), "a record is compared with something odd");
  EXPECT_EQ(fault(load + "cmpq $id@tpoff,(%r11)\nje .Lfound\nincq 64(%r11)\n", s), "memory is changed that is no counter") << "the wrong side";
  EXPECT_EQ(fault(load + "cmpq $id@tpoff,(%r11)\njne .Lask\nincq 56(%r11)\n", s), "an address between two counters") << "the runtime's part of it";
}

TEST(Contexts, ThePathIsAnOffsetInTheWordOfTheRecord) {
  ContextProcs procs;
  procs.by_label["proc"].span = 6;
  StackFacts s = at_call();
  s.contexts = &procs;
  s.record_of = "proc";
  s.record_in = kRbx;
  Probe counts("incq 72(%rbx)\nandq $-64,%rbx\nincq 72(%rbx)\n", s);
  EXPECT_EQ(counts.fault(), "");
  EXPECT_EQ(counts.machine().effects()[0].index, sum(atom_value(kRbx), constant(1))) << "the path register and 1";
  EXPECT_EQ(counts.machine().effects()[1].kind, Effect::Kind::rounds);
  EXPECT_EQ(counts.machine().effects()[2].index, constant(1)) << "it has been set to 0";
  Probe ahead("leaq 16(%rbx),%rbx\n", s);
  EXPECT_EQ(ahead.machine().path_in_record(ahead.machine().value(kRbx)), sum(atom_value(kRbx), constant(2)));
  EXPECT_EQ(fault("andq $-128,%rbx\n", s), "a record is looked for elsewhere") << "records are multiples of 64";
  EXPECT_EQ(fault("andq $-64,%rcx\n", s), "a record is looked for elsewhere") << "of something else";
  procs.by_label["proc"].span = 0;
  EXPECT_EQ(fault("andq $-64,%rbx\n", s), "a record is looked for elsewhere") << "no paths are counted there";
}

TEST(Models, SetsAreReadBehindAMask) {
  const std::string set = "movl %ecx,%eax\nshrl $3,%eax\n", look = "addq %fs:__chord_l1d@tpoff,%rax\nsubq (%rax),%rcx\n";
  EXPECT_EQ(fault(set + "andl $504,%eax\n" + look), "");
  EXPECT_EQ(fault(set + look), "a probe reads memory that is not its own");
}

}  // namespace
}  // namespace chord::verify
