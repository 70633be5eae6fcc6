#include "report/compare/baseline.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "report/compare/regressions.h"
#include "report/compare/unified_diff.h"

namespace chord::report {
namespace {

Baseline sample() {
  Baseline b{"prog", 2, 300, {}};
  b.functions.push_back({"f", "a.c", 4, 200, {{"+0", 20}, {"+3", 100}, {"+12", 60}, {"b h.h:7", 20}}, "", 0});
  b.functions.push_back({"g", "dir with blanks/b.c", 2, 100, {}, "", 0});
  return b;
}

TEST(Baseline, TextAndBack) {
  std::string text = to_text(sample());
  Baseline read = parse_baseline(text, "x");
  EXPECT_EQ(to_text(read), text);
  EXPECT_EQ(read.functions[0].lines.at("b h.h:7"), 20u);
  EXPECT_EQ(read.functions[1].unit, "dir with blanks/b.c");
  EXPECT_LT(text.find("+3 "), text.find("+12 "));
}

TEST(Baseline, ContextsAreTextAndBack) {
  Baseline b = sample();
  b.functions[0].contexts = {{"main > f", 150}, {"main > g<int, char> > f", 30}};
  b.functions[0].other_contexts = 20;
  std::string text = to_text(b);
  EXPECT_NE(text.find("from 150 main > f\n"), std::string::npos) << text;
  Baseline read = parse_baseline(text, "x");
  EXPECT_EQ(to_text(read), text);
  EXPECT_EQ(read.functions[0].contexts, b.functions[0].contexts);
  EXPECT_EQ(read.functions[0].other_contexts, 20u);
}

TEST(Baseline, DamageIsNamed) {
  for (const char *text : {"chord baseline 1\nruns 0\n", "chord baseline 1\nfrom 3 main\n", "chord baseline 1\nfunction f\nfrom 3\n", "chord baseline 1\nfunction f\nfrom x main\n",
                           "chord baseline 1\nfunction f\nfrom 3 \n", "chord baseline 1\nfunction f\nothers\n",
                           "", "chord baseline 2\n", "chord baseline 1\ncalls 3\n", "chord baseline 1\nruns many\n", "chord baseline 1\n  +3 4\n",
                           "chord baseline 1\nfunction f\n  5\n", "chord baseline 1\nnonsense\n"}) {
    EXPECT_THROW(parse_baseline(text, "x"), base::Error) << text;
  }
}

TEST(Regressions, OneInstructionInOneOfManyRuns) {
  Baseline before = sample(), now = sample();
  EXPECT_TRUE(compare(before, now).grown.empty());
  // Three runs of the same cost.
  now.runs = 6;
  now.instructions *= 3;
  for (BaselineFunction &f : now.functions) {
    f.executed *= 3;
    f.calls *= 3;
    for (auto &line : f.lines) line.second *= 3;
  }
  EXPECT_FALSE(compare(before, now).total_grew);
  EXPECT_TRUE(compare(before, now).grown.empty());
  now.functions[0].executed += 1;
  now.functions[0].lines["+3"] += 1;
  now.instructions += 1;
  Comparison compared = compare(before, now);
  EXPECT_TRUE(compared.total_grew);
  ASSERT_EQ(compared.grown.size(), 1u);
  EXPECT_EQ(compared.grown[0].function, "f");
  ASSERT_EQ(compared.grown[0].lines.size(), 1u);
}

TEST(Regressions, ContextsThatGrew) {
  Baseline before = sample(), now = sample();
  before.functions[0].contexts = {{"main > f", 150}, {"main > g > f", 50}};
  now.functions[0].contexts = {{"main > f", 150}, {"main > g > f", 90}, {"h > f", 10}};
  now.functions[0].executed += 50;
  Comparison compared = compare(before, now);
  ASSERT_EQ(compared.grown.size(), 1u);
  ASSERT_EQ(compared.grown[0].contexts.size(), 2u);
  EXPECT_EQ(compared.grown[0].contexts[0].chain, "main > g > f");
  EXPECT_EQ(compared.grown[0].contexts[0].before, 25);
  EXPECT_EQ(compared.grown[0].contexts[0].now, 45);
  EXPECT_EQ(compared.grown[0].contexts[1].before, 0);
  EXPECT_EQ(describe_contexts(compared.grown[0]), "  in main > g > f: 25 -> 45 (+20, +80.00%)\n  in h > f: 0 -> 5 (+5)\n");
  // What was left out may be the one that seems new.
  before.functions[0].other_contexts = 4;
  EXPECT_EQ(compare(before, now).grown[0].contexts.size(), 1u);
  // A baseline without contexts says nothing of them.
  before.functions[0].contexts.clear();
  before.functions[0].other_contexts = 0;
  EXPECT_TRUE(compare(before, now).grown[0].contexts.empty());
}

TEST(Regressions, NewFunctionsAndNewUnits) {
  Baseline before = sample(), now = sample();
  now.functions[1].unit = "moved/b.c";
  now.functions.push_back({"h", "a.c", 1, 5, {}, "", 0});
  Comparison compared = compare(before, now);
  ASSERT_EQ(compared.grown.size(), 1u);
  EXPECT_TRUE(compared.grown[0].fresh);
}

TEST(UnifiedDiff, OldLines) {
  std::vector<ChangedLines> changes = parse_diff(
      "diff --git a/src/x.c b/src/x.c\nindex 1..2\n--- a/src/x.c\n+++ b/src/x.c\n@@ -10,4 +10,4 @@ f()\n a\n-b\n+c\n d\n e\n@@ -30,0 +31,2 @@\n+p\n+q\n"
      "--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+--- x\n");
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].file, "src/x.c");
  EXPECT_EQ(changes[0].first, 11u);
  EXPECT_EQ(changes[0].last, 11u);
  EXPECT_EQ(changes[1].first, 30u);
  EXPECT_EQ(changes[1].last, 31u);
  EXPECT_EQ(changes[2].file, "new.c");
}

TEST(UnifiedDiff, Files) {
  EXPECT_TRUE(names_file("/home/x/src/a.c", "src/a.c"));
  EXPECT_TRUE(names_file("a.c", "./a.c"));
  EXPECT_FALSE(names_file("/home/x/src/aa.c", "a.c"));
}

}  // namespace
}  // namespace chord::report
