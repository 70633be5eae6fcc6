// Two objects in one: what a linker makes of it is what it makes of both; damaged objects are refused, not believed.
#include "assembly/text/join_objects.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/file.h"
#include "base/process.h"

namespace chord::assembly {
namespace {

class JoinObjects : public testing::Test {
 protected:
  std::string assemble(const std::string &name, const std::string &text) {
    base::write_file(folder_.file(name + ".s"), text);
    base::Outcome outcome = base::run({base::find_in_path("as"), "-o", folder_.file(name + ".o"), folder_.file(name + ".s")}, nullptr, true);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return base::read_file(folder_.file(name + ".o"));
  }

  // Links the object with a start of its own, and returns what the program does.
  int run(const std::string &object) {
    base::write_file(folder_.file("joined.o"), object);
    base::Outcome linked = base::run({base::find_in_path("ld"), "-o", folder_.file("program"), folder_.file("joined.o")}, nullptr, true);
    EXPECT_EQ(linked.status, 0) << linked.errors;
    return base::run({folder_.file("program")}, nullptr, true).status;
  }

  base::TempFolder folder_;
};

// It calls a function of the other's, reads its data through a symbol of its own, and has a group and unwind rules, too.
constexpr const char *kFirst = R"(
	.globl _start
_start:
	.cfi_startproc
	call there
	addl here(%rip), %eax
	addl word(%rip), %eax
	movl %eax, %edi
	movl $60, %eax
	syscall
	.cfi_endproc
	.section .data.mine,"awG",@progbits,mine,comdat
here:
	.long 1
	.weak absent
)";
constexpr const char *kSecond = R"(
	.section .text.theirs,"axG",@progbits,theirs,comdat
	.globl there
	.hidden there
there:
	.cfi_startproc
	movl local(%rip), %eax
	leaq absent(%rip), %rdx
	ret
	.cfi_endproc
	.section .data.theirs,"awG",@progbits,theirs,comdat
	.zero 12
local:
	.long 20
	.globl word
	.hidden word
word:
	.long 300-279
	.weak absent
)";

TEST_F(JoinObjects, ReferencesAcrossTheTwoAreTheSameSymbols) {
  auto joined = join_objects(assemble("first", kFirst), assemble("second", kSecond));
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ(run(*joined), 42);
  // Either order: numbers of sections and symbols move in both.
  auto turned = join_objects(base::read_file(folder_.file("second.o")), base::read_file(folder_.file("first.o")));
  ASSERT_TRUE(turned.has_value());
  EXPECT_EQ(run(*turned), 42);
}

TEST_F(JoinObjects, WithoutUnwindRulesTheOthersAreAdded) {
  std::string text = kFirst;
  for (const char *word : {"\t.cfi_startproc\n", "\t.cfi_endproc\n"}) text.erase(text.find(word), std::strlen(word));
  auto joined = join_objects(assemble("first", text), assemble("second", kSecond));
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ(run(*joined), 42);
}

TEST_F(JoinObjects, NamesDefinedTwiceAreRefused) {
  std::string first = kFirst;
  first += "\t.globl word\nword:\n";
  EXPECT_FALSE(join_objects(assemble("first", first), assemble("second", kSecond)).has_value());
}

TEST_F(JoinObjects, WhatIsNoObjectIsRefused) {
  std::string first = assemble("first", kFirst);
  EXPECT_FALSE(join_objects(first, "").has_value());
  EXPECT_FALSE(join_objects("!<arch>\n", first).has_value());
  std::string executable = first;
  executable[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
  EXPECT_FALSE(join_objects(executable, first).has_value());
}

TEST_F(JoinObjects, DamagedObjectsAreReadWithinBounds) {
  std::string first = assemble("first", kFirst), second = assemble("second", kSecond);
  std::mt19937 random(1);
  for (int turn = 0; turn < 3000; ++turn) {
    std::string damaged = second;
    for (int i = 0; i < 1 + turn % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (turn % 3 == 0) damaged.resize(random() % damaged.size());
    join_objects(first, damaged);
    join_objects(damaged, first);
  }
}

}  // namespace
}  // namespace chord::assembly
