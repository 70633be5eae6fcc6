// Small pieces of assembly, each with the trap it was written for, and exactly what
// weaving makes of them. Every case is assembled and verified as well.
//
//   CHORD_REBASE=1 build/tests/unit_weave    rewrites the expectations
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "assembly/graph/procedure.h"
#include "assembly/text/layout.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/process.h"
#include "format/map/map.h"
#include "verify/verify.h"
#include "weave/sim/model_choice.h"
#include "weave/weave.h"

namespace chord::weave {
namespace {

namespace fs = std::filesystem;

// How a text is woven: "# weave: OPTIONS", or, where it is woven in several ways, also "# weave NAME: OPTIONS". A text without such a line is
// woven without options.
struct Case {
  std::string file, name;    // the text; what is expected of it: FILE.expected, or FILE.NAME.expected
  std::string options;
  std::string expected() const { return file + (name.empty() ? "" : "." + name) + ".expected"; }
};

std::string text_of(const std::string &file) { return base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/" + file); }

void add_cases(const std::string &file, std::vector<Case> &out) {
  constexpr std::string_view mark = "# weave";
  std::istringstream text(text_of(file + ".s"));
  const size_t before = out.size();
  for (std::string line; std::getline(text, line) && line.starts_with('#');) {
    const size_t colon = line.find(':');
    if (!line.starts_with(mark) || colon == std::string::npos) continue;
    std::string name = line.substr(mark.size(), colon - mark.size());
    if (!name.empty() && (name[0] != ' ' || name.find(' ', 1) != std::string::npos)) continue;  // a sentence
    out.push_back({file, name.empty() ? name : name.substr(1), line.substr(colon + 1)});
  }
  if (out.size() == before) out.push_back({file, "", ""});
}

std::vector<Case> cases() {
  std::vector<std::string> files;
  for (const auto &entry : fs::directory_iterator(CHORD_GOLDEN_FOLDER)) {
    if (entry.path().extension() == ".s") files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> out;
  for (const std::string &file : files) add_cases(file, out);
  return out;
}

// As the driver settles them (driver/options/build_options.cc), but that entries are counted and steps are the program's own, which makes
// less of a text.
void set_option(const std::string &option, Options &options) {
  static const std::map<std::string, std::function<void(Options &)>> known = {
      {"--entries=implied", [](Options &o) { o.entries = Options::Entries::implied; }},
      {"--steps=copies", [](Options &o) { o.steps = Options::Steps::copies; }},
      {"--steps=sums", [](Options &o) { o.steps = Options::Steps::sums; }},
      {"--steps=widened", [](Options &o) { o.steps = Options::Steps::widened; }},
      {"--stubs=always", [](Options &o) { o.stubs = Options::Stubs::always; }},
      {"--events", [](Options &o) { o.place = core::Placement::none, o.events = 1; }},  // instructions
      {"--budget", [](Options &o) { o.budget = true; }},
      {"--paths", [](Options &o) { o.paths = true; }},
      {"--context", [](Options &o) { o.context = true; }},
      {"--coverage", [](Options &o) { o.coverage = true; }},
      {"--counters=delta", [](Options &o) { o.counters = isa::CounterPlace::Kind::thread_delta; }},
      {"--durable", [](Options &o) {
         o.durable = true;
         o.counters = isa::CounterPlace::Kind::thread_delta;
         o.loop_counters = Options::LoopCounters::memory;
       }},
      {"--trace=bits", [](Options &o) { o.trace = true, o.trace_encoding = core::TraceEncoding::bits; }},
      {"--trace=witness", [](Options &o) { o.trace = true, o.trace_encoding = core::TraceEncoding::witness; }},
      {"--metrics=tsc", [](Options &o) { o.metrics = {{"tsc", "tsc"}}; }},
      {"--metrics=sim:l1d", [](Options &o) { o.metrics = {{"sim:l1d", "sim:l1d"}}, choose_model("sim:l1d", o.models); }},
  };
  auto found = known.find(option);
  ASSERT_NE(found, known.end()) << "unknown option " << option;
  found->second(options);
}

Options options_of(const std::string &words) {
  Options options;
  options.entries = Options::Entries::counted;
  options.steps = Options::Steps::whole;
  std::istringstream text(words);
  for (std::string option; text >> option;) set_option(option, options);
  return options;
}

std::string left_alone(const std::string &text, const std::string &name) {
  std::string mark = "# left alone " + name + ": ";
  size_t at = text.find(mark);
  return at == std::string::npos ? "" : text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
}

// The runtime is none of this test's business: not even its visible names are there.
void write_no_runtime(const base::TempFolder &folder) {
  base::write_file(folder.file("chord_visible.s"), "");
}

std::string what_is_wrong(const assembly::Source &source, const assembly::Unit &unit, const Woven &woven) {
  std::vector<verify::TextRange> inserted;
  for (const auto &range : woven.inserted) inserted.push_back({range.begin, range.end});
  std::string out;
  for (const verify::Fault &fault : verify::prove({source, unit.layout, woven.text, inserted, woven.map})) out += verify::to_text(fault) + "\n";
  return out;
}

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, WovenTextIsAsExpectedAndVerified) {
  assembly::Source source;
  read_source(text_of(GetParam().file + ".s"), source);
  assembly::Assembler assembler{base::find_in_path("as"), {}};
  assembly::Layout layout;
  std::string errors;
  ASSERT_TRUE(lay_out(source, assembler, layout, errors)) << errors;
  assembly::Unit unit;
  build_unit(source, std::move(layout), unit);

  base::TempFolder folder;
  write_no_runtime(folder);
  UnitFiles around{folder.file("map"), folder.path()};
  Woven woven = weave_unit(unit, options_of(GetParam().options), around);
  // "# left alone NAME: why" lines say which procedures are not woven; all others are.
  for (const format::Procedure &p : woven.map.procedures) EXPECT_EQ(p.skipped, left_alone(source.text, p.name)) << p.name;
  base::write_file(around.map_file, format::encode_map(woven.map));
  base::write_file(folder.file("woven.s"), woven.text);
  base::Outcome outcome = base::run({assembler.path, "-o", folder.file("woven.o"), folder.file("woven.s")}, nullptr, true);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(what_is_wrong(source, unit, woven), "");

  // The records after the code hold keys that change with every comment.
  std::string code = woven.text.substr(0, woven.inserted.back().begin);
  if (std::getenv("CHORD_REBASE") != nullptr) base::write_file(std::string(CHORD_GOLDEN_FOLDER) + "/" + GetParam().expected(), code);
  EXPECT_EQ(text_of(GetParam().expected()), code);
}

INSTANTIATE_TEST_SUITE_P(Weave, Golden, testing::ValuesIn(cases()), [](const auto &info) { return info.param.file + (info.param.name.empty() ? "" : "_as_" + info.param.name); });

// A check that cannot fail proves nothing: damage of each kind must be found.
class Damage : public testing::Test {
 protected:
  void SetUp() override { weave("jump_table"); }

  void weave(const std::string &name) {
    read_source(base::read_file(std::string(CHORD_GOLDEN_FOLDER) + "/" + name + ".s"), source_);
    assembler_.path = base::find_in_path("as");
    assembly::Layout layout;
    std::string errors;
    ASSERT_TRUE(lay_out(source_, assembler_, layout, errors)) << errors;
    build_unit(source_, std::move(layout), unit_);
    write_no_runtime(folder_);
    around_ = {folder_.file("map"), folder_.path()};
    woven_ = weave_unit(unit_, options_, around_);
    base::write_file(around_.map_file, format::encode_map(woven_.map));
  }

  // Replaces `from` by `to` (of the same length, so that ranges stay right).
  void damage(const std::string &from, const std::string &to) {
    ASSERT_EQ(from.size(), to.size());
    size_t at = woven_.text.find(from);
    ASSERT_NE(at, std::string::npos) << woven_.text;
    woven_.text.replace(at, from.size(), to);
  }

  void expect_refused() {
    base::write_file(folder_.file("woven.s"), woven_.text);
    base::Outcome made = base::run({assembler_.path, "-o", folder_.file("woven.o"), folder_.file("woven.s")}, nullptr, true);
    ASSERT_EQ(made.status, 0) << made.errors;
    EXPECT_NE(what_is_wrong(source_, unit_, woven_), "");
  }

  assembly::Source source_;
  assembly::Assembler assembler_;
  assembly::Unit unit_;
  base::TempFolder folder_;
  UnitFiles around_;
  Options options_;
  Woven woven_;
};

TEST_F(Damage, AnotherOperandIsFound) {
  damage("addl	$7, %esi", "addl	$7, %edi");
  expect_refused();
}
TEST_F(Damage, AnotherTargetIsFound) {
  damage("jmp	.L2", "jmp	.L6");
  expect_refused();
}
TEST_F(Damage, AnotherTableEntryIsFound) {
  damage(".long	.L5-.L4", ".long	.L6-.L4");
  expect_refused();
}
TEST_F(Damage, AProbeThatDestroysIsFound) {
  size_t at = woven_.text.find("incq");
  ASSERT_NE(at, std::string::npos);
  size_t end = woven_.text.find('\n', at);
  std::string probe = woven_.text.substr(at, end - at);
  std::string harmful = "movl $9,%esi #";
  harmful.resize(probe.size(), 'x');
  damage(probe, harmful);
  expect_refused();
}

// What falling_stub.expected has in front of .L5 stands at the end, and jumps.
class StubsApart : public Damage {
 protected:
  void SetUp() override {
    options_.entries = Options::Entries::counted;
    options_.stubs = Options::Stubs::apart;
    weave("falling_stub");
  }
};
TEST_F(StubsApart, StandBehindTheLastInstruction) {
  EXPECT_NE(woven_.text.find("\tjmp\t.L5\n.Lchord_e0_0:\n"), std::string::npos) << woven_.text;
  EXPECT_EQ(woven_.text.find(".skip"), std::string::npos) << woven_.text;
}

// And a stub in front of its block must fall into that one.
class FallingStubDamage : public Damage {
 protected:
  void SetUp() override {
    options_.entries = Options::Entries::counted;
    weave("falling_stub");
  }
};
TEST_F(FallingStubDamage, AProbeInFrontOfTheWrongBlockIsFound) {
  damage("js	.Lchord_s0_0", "js	.Lchord_m0_8");
  expect_refused();
}

// In loop_registers %r11 and %r10 hold counters, in loop_steps %rdi counts by itself.
class LoopDamage : public Damage {
 protected:
  void SetUp() override { weave("loop_registers"); }
};
TEST_F(LoopDamage, ACounterThatIsNotSetUpIsFound) {
  damage("xorl	%r11d,%r11d", "xorl	%r10d,%r10d");
  expect_refused();
}
TEST_F(LoopDamage, ACounterThatIsNotBroughtBackIsFound) {
  damage("addq	%r11,%fs", "addq	%r10,%fs");
  expect_refused();
}
class StepDamage : public Damage {
 protected:
  void SetUp() override { weave("loop_steps"); }
};
TEST_F(StepDamage, AnotherRegisterIsFound) {
  damage("subq	%rdi,%fs", "subq	%rsi,%fs");
  expect_refused();
}

// In narrow_steps f goes up by a step that was made wider, and g counts down.
class HalfStepDamage : public Damage {
 protected:
  void SetUp() override { weave("narrow_steps"); }
};
TEST_F(HalfStepDamage, AnotherStepIsFound) {
  damage("leaq	1(%rcx),%rcx", "leaq	2(%rcx),%rcx");
  expect_refused();
}
TEST_F(HalfStepDamage, ALowerHalfThatIsNotPutBackIsFound) {
  damage("leal	-1(%rcx),%ecx", "leal	-2(%rcx),%ecx");
  expect_refused();
}
TEST_F(HalfStepDamage, ACountdownThatMayWrapIsFound) {
  std::string pair = "leal	-1(%rcx),%ecx\n	leaq	1(%rcx),%rcx", nothing = "# not widened";
  nothing.resize(pair.size(), '.');
  damage(pair, nothing);
  expect_refused();
}

// In loop_halves both halves of %xmm15 count, for one loop and for one in another.
class HalfDamage : public Damage {
 protected:
  void SetUp() override { weave("loop_halves"); }
  void replace(const std::string &from, std::string to) {
    to.resize(from.size(), ' ');
    damage(from, to);
  }
};
TEST_F(HalfDamage, AHalfThatIsNotSetUpIsFound) {
  replace("movlps	.Lchord_low+8(%rip),%xmm15", "nop");
  expect_refused();
}
TEST_F(HalfDamage, TheOtherHalfSetUpInsideItsLoopIsFound) {
  replace("movlps	.Lchord_low+8(%rip),%xmm15", "pxor	%xmm15,%xmm15");
  expect_refused();
}
TEST_F(HalfDamage, TheSameHalfAddedTwiceIsFound) {
  replace("movhlps	%xmm15,%xmm15", "nop");
  expect_refused();
}
TEST_F(HalfDamage, AHalfTakenInTheLoopIsFound) {
  replace("psubq	.Lchord_high(%rip),%xmm15", "movhlps	%xmm15,%xmm15");
  expect_refused();
}

// In sums_of_steps %rdx goes up by 2 in one block and by 1 in another.
class SumDamage : public Damage {
 protected:
  void SetUp() override {
    weave("sums_of_steps");
    ASSERT_EQ(woven_.map.procedures[0].plan.sums.size(), 1u);
  }
  core::CounterSum &sum() { return woven_.map.procedures[0].plan.sums[0]; }
};
TEST_F(SumDamage, AnotherRegisterIsFound) {
  damage("subq	%rdx,%fs", "subq	%rsi,%fs");
  expect_refused();
}
TEST_F(SumDamage, AnotherStepIsFound) {
  sum().terms[0].times += 1;
  expect_refused();
}
TEST_F(SumDamage, AStepThatIsNotCountedIsFound) {
  sum().terms.pop_back();
  expect_refused();
}
TEST_F(SumDamage, AnotherBlockIsFound) {
  sum().terms[1].vertex = core::Vertex(sum().terms[1].vertex + 1);
  expect_refused();
}

// In paths_saved %r15 holds the number, and the caller's is kept in a wider frame.
class FrameDamage : public Damage {
 protected:
  void SetUp() override {
    options_.paths = true;
    weave("paths_saved");
  }
};
TEST_F(FrameDamage, AnotherPlaceOfTheCallersRegisterIsFound) {
  damage(".cfi_offset 15, -16", ".cfi_offset 15, -24");
  expect_refused();
}
TEST_F(FrameDamage, ARegisterThatDidNotMoveIsFound) {
  damage(".cfi_offset 6, -32", ".cfi_offset 6, -16");
  expect_refused();
}
TEST_F(FrameDamage, AFrameThatDidNotGrowIsFound) {
  damage(".cfi_def_cfa_offset 32", ".cfi_def_cfa_offset 16");
  expect_refused();
}
TEST_F(FrameDamage, RulesThatMissAMoveOnTheWayInAreFound) {
  damage("leaq\t-8(%rsp),%rsp\n\t.cfi_adjust_cfa_offset 8", "leaq\t-8(%rsp),%rsp\n\t.cfi_adjust_cfa_offset 0");
  expect_refused();
}
TEST_F(FrameDamage, RulesThatMissAMoveOnTheWayOutAreFound) {
  damage("leaq\t8(%rsp),%rsp\n\t.cfi_adjust_cfa_offset -8", "leaq\t8(%rsp),%rsp\n\t.cfi_adjust_cfa_offset -0");
  expect_refused();
}
TEST_F(FrameDamage, ARegisterThatIsNotGivenBackIsFound) {
  damage(".cfi_restore 15", ".cfi_restore 14");
  expect_refused();
}

// In paths_expected %r11 is kept in the frame while the number of a path is in it.
class PathDamage : public Damage {
 protected:
  void SetUp() override {
    options_.paths = true;
    weave("paths_expected");
  }
};
TEST_F(PathDamage, ARegisterThatIsNotKeptIsFound) {
  damage("movq	%r11,56(%rsp)", "movq	%r10,56(%rsp)");
  expect_refused();
}
TEST_F(PathDamage, ARegisterThatIsNotPutBackIsFound) {
  damage("movq	56(%rsp),%r11", "movq	48(%rsp),%r11");
  expect_refused();
}
TEST_F(PathDamage, AnotherRegisterPutBackIsFound) {
  damage("movq	56(%rsp),%r11", "movq	56(%rsp),%r10");
  expect_refused();
}

}  // namespace
}  // namespace chord::weave
