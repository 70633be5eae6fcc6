// The table of build options: what the stand-in gets is what the user asked for.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/diagnostics.h"
#include "driver/compilers/compiler.h"
#include "driver/compilers/masquerade.h"
#include "driver/options/build_options.h"
#include "driver/options/option_help.h"
#include "driver/options/option_table.h"

namespace chord::driver {
namespace {

using Words = std::vector<std::string>;

std::string refusal(const Words &words) {
  try {
    parse_build_options(words);
    return "";
  } catch (const base::UsageError &e) {
    return e.what();
  }
}

TEST(BuildOptions, ArriveAtTheStandInAsTheyWereAskedFor) {
  const Words cases[] = {{},
                         {"--paths", "--except-noise", "--paths-algorithm=published"},
                         {"--events=calls,loads"},
                         {"--callsites"},
                         {"--budget"},
                         {"--durable"},
                         {"--counters=atomic", "--place=vertex-edge", "--verify"},
                         {"--only=a*", "--only=b", "--except=c d"},
                         {"--loop-counters=registers", "--steps=sums", "--stubs=always", "--entries=counted", "--weights=paper"}};
  for (const Words &words : cases) {
    for (bool shared : {false, true}) {
      weave::Options asked = parse_build_options(words);
      settle(asked, shared);
      publish(asked);
      std::optional<weave::Options> got = published();
      ASSERT_TRUE(got);
      EXPECT_EQ(words_for_standin(asked), words_for_standin(*got)) << (words.empty() ? "" : words[0]);
      EXPECT_EQ(got->position_independent, shared);
      EXPECT_EQ(got->only, asked.only);
    }
  }
  ::unsetenv("CHORD_WEAVE");
}

TEST(BuildOptions, EveryRuleIsOfOptionsThatExist) {
  for (const Conflict &rule : conflicts()) {
    for (std::string_view word : {rule.one, rule.other}) EXPECT_NE(find_build_option(Word{std::string(word)}.name), nullptr) << word;
    Words words{std::string(rule.one), std::string(rule.other)};
    if (rule.one.ends_with('=')) words[0] += "some";
    if (rule.other.ends_with('=')) words[1] += "some";
    if (!rule.third.empty()) words.push_back(std::string(rule.third) + "=tsc");
    EXPECT_NE(refusal(words), "") << rule.one << " " << rule.other << " " << rule.third;
  }
  std::set<std::string_view> names;
  for (const BuildOption &option : build_options()) EXPECT_TRUE(names.insert(option.name).second) << option.name;
}

TEST(BuildOptions, ARefusalNamesWhatWasGiven) {
  EXPECT_NE(refusal({"--trace=bits", "--paths=some.file"}).find("--trace=bits and --paths=some.file"), std::string::npos);
  EXPECT_NE(refusal({"--durable", "--counters=atomic"}).find("--durable and --counters=atomic"), std::string::npos);
  EXPECT_EQ(refusal({"--counters=atomic", "--durable", "--counters=thread"}), "");
}

TEST(BuildOptions, DurableCountsThroughAPointerWhateverTheOrder) {
  for (const Words &words : {Words{"--durable", "--counters=thread"}, Words{"--counters=thread", "--durable"}}) {
    weave::Options options = parse_build_options(words);
    settle(options, false);
    EXPECT_EQ(options.counters, isa::CounterPlace::Kind::thread_delta);
    EXPECT_EQ(options.loop_counters, weave::Options::LoopCounters::memory);
  }
}

TEST(BuildOptions, CompletionListsValues) {
  std::string words = build_option_words();
  EXPECT_NE(words.find("--place=vertex-edge\n"), std::string::npos);
  EXPECT_NE(words.find("--only=\n"), std::string::npos);
  EXPECT_EQ(words.find("position-independent"), std::string::npos);
}

TEST(Compilers, AreKnownByName) {
  for (const char *name : {"gcc", "g++-12", "/usr/bin/x86_64-linux-gnu-gcc-12", "gfortran", "musl-gcc", "gcc-12.2"}) EXPECT_EQ(family_of_name(name), Family::gcc) << name;
  for (const char *name : {"clang", "clang++-19", "/opt/bin/clang"}) EXPECT_EQ(family_of_name(name), Family::clang) << name;
  for (const char *name : {"make", "cobc", "clang-tidy", "clang-format-14", "gcc-ar", "rustc", "cc", "as", ""}) EXPECT_EQ(family_of_name(name), Family::other) << name;
}

TEST(Compilers, AreStoodForByName) {
  EXPECT_EQ(compiler_called("chord-gcc"), "gcc");
  EXPECT_EQ(compiler_called("clang++-19"), "clang++-19");
  EXPECT_EQ(compiler_called("cc"), "cc");
  EXPECT_EQ(compiler_called("chord"), "");
  EXPECT_EQ(compiler_called("chord-dev"), "");
}

TEST(Compilers, AssembleUnlessAskedOtherwise) {
  EXPECT_TRUE(goes_as_far_as_assembling({"-c", "x.c"}));
  EXPECT_TRUE(goes_as_far_as_assembling({"-xc", "-"}));
  for (const Words &args : {Words{}, Words{"-v"}, Words{"--version"}, Words{"-dumpmachine"}, Words{"-E", "x.c"}, Words{"-S", "x.c"}, Words{"-print-prog-name=as"}})
    EXPECT_FALSE(goes_as_far_as_assembling(args));
}

}  // namespace
}  // namespace chord::driver
