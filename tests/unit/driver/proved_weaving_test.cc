// What is left alone if the proof refuses a procedure, or the whole file. The proof is played: it must not refuse what is right.
#include "driver/steps/proved_weaving.h"

#include <gtest/gtest.h>

#include "assembly/text/layout.h"
#include "base/diagnostics.h"
#include "base/process.h"

namespace chord::driver {
namespace {

constexpr const char *kText = R"(	.text
	.globl	one
	.type	one, @function
one:
	testl	%edi, %edi
	je	.L1
	addl	$1, %edi
.L1:
	movl	%edi, %eax
	ret
	.size	one, .-one
	.globl	two
	.type	two, @function
two:
	leal	2(%rdi), %eax
	ret
	.size	two, .-two
)";

class ProvedWeaving : public testing::Test {
 protected:
  void SetUp() override {
    options_.verify = weave::Options::Verify::skip;
    assembly::read_source(kText, source_);
    assembly::Layout layout;
    std::string errors;
    ASSERT_TRUE(assembly::lay_out(source_, {base::find_in_path("as"), {}}, layout, errors)) << errors;
    assembly::build_unit(source_, std::move(layout), unit_);
  }

  weave::Woven weave(std::vector<std::vector<verify::Fault>> answers) {
    return weave_proved(source_, unit_, options_, {"map", "runtime"}, [&, answers](const verify::Claim &claim) {
      woven_each_time_.push_back(woven_in(claim.map));
      return asked_ < answers.size() ? answers[asked_++] : std::vector<verify::Fault>{};
    });
  }

  static size_t woven_in(const format::UnitMap &map) {
    size_t woven = 0;
    for (const format::Procedure &p : map.procedures) woven += p.skipped.empty();
    return woven;
  }

  static std::string reason(const weave::Woven &woven, std::string_view name) {
    for (const format::Procedure &p : woven.map.procedures) {
      if (p.name == name) return p.skipped;
    }
    return "not in the map";
  }

  assembly::Source source_;
  assembly::Unit unit_;
  weave::Options options_;
  size_t asked_ = 0;
  std::vector<size_t> woven_each_time_;
};

TEST_F(ProvedWeaving, ProvedAtOnce) {
  weave::Woven woven = weave({});
  EXPECT_EQ(woven.woven, 2u);
  EXPECT_EQ(woven_each_time_, std::vector<size_t>{2});
}

TEST_F(ProvedWeaving, OneProcedureIsRefusedAndTheRestIsProvedAgain) {
  weave::Woven woven = weave({{{"two", 15, "a register is lost"}}});
  EXPECT_EQ(woven.woven, 1u);
  EXPECT_EQ(woven_each_time_, (std::vector<size_t>{2, 1}));
  EXPECT_EQ(reason(woven, "one"), "");
  EXPECT_EQ(reason(woven, "two"), "not proved: line 15: a register is lost");
}

TEST_F(ProvedWeaving, TheRestMayBeRefusedThen) {
  weave::Woven woven = weave({{{"two", 15, "a register is lost"}}, {{"one", 5, "a flag is lost"}}});
  EXPECT_EQ(woven.woven, 0u);
  EXPECT_EQ(reason(woven, "one"), "not proved: line 5: a flag is lost");
  EXPECT_EQ(reason(woven, "two"), "not proved: line 15: a register is lost");
}

TEST_F(ProvedWeaving, TheWholeFileIsRefused) {
  weave::Woven woven = weave({{{"", 0, "records do not tell where counters are"}}});
  EXPECT_EQ(woven.woven, 0u);
  EXPECT_EQ(woven_each_time_, std::vector<size_t>{2});
  for (const char *name : {"one", "two"}) EXPECT_EQ(reason(woven, name), "not proved: records do not tell where counters are");
}

TEST_F(ProvedWeaving, AFaultOfOneThatIsLeftAloneIsOneOfTheFile) {
  weave::Woven woven = weave({{{"two", 15, "a register is lost"}}, {{"two", 15, "still"}}});
  EXPECT_EQ(woven.woven, 0u);
  EXPECT_EQ(reason(woven, "one"), "not proved: still");
}

TEST_F(ProvedWeaving, AnError) {
  options_.verify = weave::Options::Verify::error;
  try {
    weave({{{"two", 15, "a register is lost"}}});
    FAIL() << "accepted";
  } catch (const base::Error &e) {
    EXPECT_STREQ(e.what(), "verify: two: line 15: a register is lost");
  }
}

TEST_F(ProvedWeaving, NobodyAsks) {
  options_.verify = weave::Options::Verify::off;
  EXPECT_EQ(weave({{{"", 0, "refused"}}}).woven, 2u);
  EXPECT_TRUE(woven_each_time_.empty());
}

}  // namespace
}  // namespace chord::driver
