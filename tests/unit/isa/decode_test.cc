#include <gtest/gtest.h>

#include "isa/isa.h"

namespace chord::isa {
namespace {

Decoded decoded(std::string_view bytes) {
  auto d = decode(bytes);
  EXPECT_TRUE(d.has_value());
  return d.value_or(Decoded{});
}
Resources reg(const char *name) { return *register_named(name); }

TEST(Decode, LongNopsReadNothing) {
  Decoded nop = decoded(std::string_view("\x0f\x1f\x44\0\0", 5));  // nopl 0(%rax,%rax,1)
  EXPECT_EQ(nop.reads, 0u);
  EXPECT_EQ(nop.traits & kLoad, 0u);
}

TEST(Decode, FlowClasses) {
  EXPECT_EQ(decoded("\xc3").flow, Flow::leave);                                  // ret
  EXPECT_EQ(decoded("\xf3\xc3").flow, Flow::leave);                              // rep ret
  EXPECT_EQ(decoded("\x74\x05").flow, Flow::conditional);                        // je
  EXPECT_EQ(decoded("\xeb\xfe").flow, Flow::jump);                               // jmp .
  EXPECT_EQ(decoded(std::string_view("\xe8\0\0\0\0", 5)).flow, Flow::call);      // call
  EXPECT_EQ(decoded("\xff\xe0").flow, Flow::jump);                               // jmp *%rax
  EXPECT_TRUE(decoded("\xff\xe0").indirect);
  EXPECT_EQ(decoded("\x0f\x0b").flow, Flow::leave);                              // ud2
  EXPECT_TRUE(decoded("\x0f\x0b").traps);
  EXPECT_TRUE(decoded("\xe3\x02").short_only);                                   // jrcxz
  EXPECT_TRUE(decoded("\xe2\x02").short_only);                                   // loop
  EXPECT_EQ(decoded("\xf3\xaa").flow, Flow::next);                               // rep stosb
  EXPECT_TRUE(decoded("\xf3\x0f\x1e\xfa").marks_entry);                          // endbr64
  EXPECT_TRUE(decoded("\xeb\xfe").traits & kBackward);
  EXPECT_FALSE(decode("\x06").has_value());                                      // no instruction in 64-bit mode
}

TEST(Decode, AWriteOfPartOfARegisterKeepsTheRest) {
  Decoded byte = decoded("\xb0\x01");  // mov $1,%al
  EXPECT_TRUE(byte.reads & reg("rax"));
  EXPECT_FALSE(byte.kills & reg("rax"));
  Decoded word = decoded(std::string_view("\xb8\x01\0\0\0", 5));  // mov $1,%eax
  EXPECT_FALSE(word.reads & reg("rax"));
  EXPECT_TRUE(word.kills & reg("rax"));
}

TEST(Decode, ZeroingReadsNothing) {
  EXPECT_FALSE(decoded("\x31\xc0").reads & reg("rax"));  // xor %eax,%eax
  EXPECT_TRUE(decoded("\x31\xc8").reads & reg("rax"));   // xor %ecx,%eax
}

TEST(Decode, ConditionalMovesDoNotKill) {
  Decoded d = decoded("\x0f\x44\xc1");  // cmove %ecx,%eax
  EXPECT_TRUE(d.reads & reg("rax"));
  EXPECT_FALSE(d.kills & reg("rax"));
}

TEST(Decode, FlagsThatMayStayAreNotKilled) {
  EXPECT_FALSE(decoded("\xd3\xe0").kills & all_flags());  // shl %cl,%eax: the count may be 0
  EXPECT_TRUE(decoded("\xc1\xe0\x02").kills & all_flags());
  EXPECT_FALSE(decoded("\xf3\xa6").kills);                // repe cmpsb: rcx may be 0
  EXPECT_EQ(decoded("\x01\xc8").kills & all_flags(), all_flags());  // add
}

TEST(Decode, SystemCallsReadEverything) {
  Decoded d = decoded("\x0f\x05");
  EXPECT_EQ(d.reads & all_registers(), all_registers());
  EXPECT_EQ(d.kills, 0u);
}

TEST(Decode, StepsOfWholeRegistersAndOfLowerHalves) {
  Decoded whole = decoded("\x48\x83\xc0\x08");  // add $8,%rax
  EXPECT_EQ(whole.stepped, reg("rax"));
  EXPECT_EQ(whole.step, 8);
  EXPECT_FALSE(whole.narrow_step);
  EXPECT_EQ(whole.whole_reads, reg("rax"));
  Decoded half = decoded("\x83\xe8\x01");  // sub $1,%eax
  EXPECT_EQ(half.stepped, reg("rax"));
  EXPECT_EQ(half.step, -1);
  EXPECT_TRUE(half.narrow_step);
  EXPECT_EQ(half.whole_reads, 0u);
  EXPECT_EQ(decoded("\x66\x83\xe8\x01").stepped, 0u);  // sub $1,%ax
}

TEST(Decode, CopiesOfRegistersWithWhatIsAdded) {
  auto expect = [](std::string_view bytes, Copy::Kind kind, uint8_t into, uint8_t from, int32_t plus) {
    Copy copy = decoded(bytes).copy;
    EXPECT_EQ(copy.kind, kind) << plus;
    EXPECT_EQ(register_numbered(copy.into), register_numbered(into));
    EXPECT_EQ(register_numbered(copy.from), register_numbered(from));
    EXPECT_EQ(copy.plus, plus);
  };
  expect("\x48\x89\xc8", Copy::Kind::whole, 0, 1, 0);           // mov %rcx,%rax
  expect("\x89\xc8", Copy::Kind::half, 0, 1, 0);                // mov %ecx,%eax
  expect("\x48\x63\xc1", Copy::Kind::extended, 0, 1, 0);        // movslq %ecx,%rax
  expect("\x48\x8d\x41\xf8", Copy::Kind::whole, 0, 1, -8);      // lea -8(%rcx),%rax
  expect("\x48\x83\xc0\x08", Copy::Kind::whole, 0, 0, 8);       // add $8,%rax
  for (std::string_view other : {std::string_view("\x48\x8d\x04\x11", 4),  // lea (%rcx,%rdx),%rax
                                 std::string_view("\x48\x8b\x01", 3),       // mov (%rcx),%rax
                                 std::string_view("\x48\x89\xe5", 3),       // mov %rsp,%rbp
                                 std::string_view("\x66\x89\xc8", 3),       // mov %cx,%ax
                                 std::string_view("\x48\x0f\x44\xc1", 4)}) {  // cmove %rcx,%rax
    EXPECT_EQ(decoded(other).copy.kind, Copy::Kind::none) << decoded(other).mnemonic;
  }
}

TEST(Decode, HalfAnAddressNeedsHalfItsRegisters) {
  Decoded half = decoded("\x8d\x40\x01");  // lea 1(%rax),%eax
  EXPECT_EQ(half.whole_reads, 0u);
  EXPECT_TRUE(half.narrow_step);
  EXPECT_EQ(decoded("\x48\x8d\x40\x01").whole_reads, reg("rax"));  // lea 1(%rax),%rax
  EXPECT_EQ(decoded("\x8b\x40\x01").whole_reads, reg("rax"));      // mov 1(%rax),%eax
  EXPECT_EQ(decoded("\x50").whole_reads & reg("rax"), reg("rax"));  // push %rax
  EXPECT_EQ(decoded("\x48\x98").whole_reads, 0u);                   // cltq
}

CounterPlace place() { return {CounterPlace::Kind::thread_local_exec, "c", 2}; }

TEST(Increment, TakesTheCheapestThatIsSafe) {
  EXPECT_EQ(increment(place(), 0).text, "\tincq\t%fs:c@tpoff+16\n");
  EXPECT_EQ(increment(place(), 0).price, 1u);
  // Only the carry flag is live: inc leaves it alone.
  Resources carry = decoded("\xf8").writes;  // clc
  EXPECT_EQ(increment(place(), carry).price, 1u);
  Snippet kept = increment(place(), all_flags());
  EXPECT_EQ(kept.price, 5u);
  EXPECT_FALSE(kept.moves_stack);
  Resources overflow = decoded("\x0f\x90\xc0").reads & all_flags();  // seto %al
  EXPECT_EQ(increment(place(), all_flags() & ~overflow).text, "\tlahf\n\tincq\t%fs:c@tpoff+16\n\tsahf\n");
  Snippet held = increment(place(), all_flags() | reg("rax"));
  EXPECT_EQ(held.price, 7u);
  EXPECT_NE(held.text.find("%rax,%r11"), std::string::npos);
  Snippet saved = increment(place(), all_flags() | all_registers());
  EXPECT_TRUE(saved.moves_stack);
  EXPECT_NE(saved.text.find("leaq\t-128(%rsp),%rsp"), std::string::npos);
}

// A handler that interrupts the probe and counts in the same place must not be undone.
TEST(Increment, ChangesTheCounterInOneInstruction) {
  for (Resources live : {Resources{0}, all_flags(), all_flags() | reg("rax"), all_flags() | all_registers()}) {
    for (auto kind : {CounterPlace::Kind::thread_local_exec, CounterPlace::Kind::thread_delta, CounterPlace::Kind::shared}) {
      std::string text = increment({kind, "c", 0}, live).text;
      size_t first = text.find("incq");
      EXPECT_NE(first, std::string::npos) << text;
      EXPECT_EQ(text.find("incq", first + 1), std::string::npos) << text;
    }
  }
}

TEST(Increment, OfSharedObjectsSavesWhatItNeeds) {
  CounterPlace delta{CounterPlace::Kind::thread_delta, "c", 0};
  EXPECT_EQ(increment(delta, 0).price, 4u);
  EXPECT_TRUE(increment(delta, 0xffff).moves_stack);
}

}  // namespace
}  // namespace chord::isa
