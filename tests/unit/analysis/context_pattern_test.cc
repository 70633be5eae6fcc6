#include "analysis/contexts/context_pattern.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"

namespace chord::analysis {
namespace {

// main > parse > next > parse2, main > next, thread > next.
class Pattern : public testing::Test {
 protected:
  void SetUp() override {
    add(core::kNone, 0);  // main
    add(0, 1);            // parse
    add(1, 2);            // next
    add(2, 3);            // parse2
    add(0, 2);            // next
    add(core::kNone, 4);  // thread
    add(5, 2);            // next
  }
  void add(uint32_t parent, uint32_t procedure) {
    CountedContext c;
    c.parent = parent;
    c.procedure = procedure;
    c.key = 0x10 + contexts_.size();
    contexts_.push_back(c);
  }
  std::string chosen(const std::string &pattern) {
    std::string out;
    std::vector<bool> which = chosen_contexts(pattern, contexts_, [&](uint32_t p) -> const std::string & { return names_[p]; });
    for (size_t i = 0; i < which.size(); ++i) out += which[i] ? std::to_string(i) : "";
    return out;
  }
  std::vector<std::string> names_ = {"main", "parse", "next", "_Z6parse2i", "thread"};
  std::vector<CountedContext> contexts_;
};

TEST_F(Pattern, StepsFromTheRoot) {
  EXPECT_EQ(chosen("main"), "0");
  EXPECT_EQ(chosen("main > next"), "4");
  EXPECT_EQ(chosen("main > parse > next"), "2");
}
TEST_F(Pattern, AStarIsAnyNumberOfFunctions) {
  EXPECT_EQ(chosen("main > * > next"), "24");
  EXPECT_EQ(chosen("* > next"), "246");
  EXPECT_EQ(chosen("main > *"), "01234");
  EXPECT_EQ(chosen("*"), "0123456");
}
TEST_F(Pattern, NamesAreGlobsAndMayBeDemangled) {
  EXPECT_EQ(chosen("* > parse*"), "13");
  EXPECT_EQ(chosen("* > parse2(int)"), "3");
  EXPECT_EQ(chosen("t*d > n?xt"), "6");
}
TEST_F(Pattern, AKeyNamesOne) { EXPECT_EQ(chosen(context_id(0x12)), "2"); }
TEST_F(Pattern, NothingMeantIsAnError) { EXPECT_THROW(chosen("parse"), base::UsageError); }

}  // namespace
}  // namespace chord::analysis
