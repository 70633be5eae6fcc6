// Names of modelled caches, and what is refused.
#include "weave/sim/model_choice.h"

#include "weave/options.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"

namespace chord::weave {
namespace {

chord_models chosen(const char *word) {
  chord_models models = {};
  choose_model(word, models);
  return models;
}

TEST(ModelChoice, TakesNumbersCoresAndNothing) {
  EXPECT_EQ(chosen("sim:l1d").data.sets, 64u);
  chord_geometry odd = chosen("sim:l1d=1536,3,32").data;
  EXPECT_EQ(odd.sets, 16u);
  EXPECT_EQ(odd.ways, 3u);
  EXPECT_EQ(odd.line_bits, 5u);
  EXPECT_EQ(chosen("sim:l2=golden-cove").second.sets, 2048u);
  EXPECT_FALSE(has_cache(chosen("sim:l2").data));
}

bool same(const chord_geometry &a, const chord_geometry &b) { return a.sets == b.sets && a.ways == b.ways && a.line_bits == b.line_bits; }

// A core by its name is the same as its caches by their sizes.
TEST(ModelChoice, CoresAreTheirGeometries) {
  for (const ModelledCore &core : modelled_cores()) {
    auto model = [&](const char *kind, const std::string &what) { return chosen((std::string(kind) + "=" + what).c_str()); };
    EXPECT_TRUE(same(model("sim:l1d", core.name).data, model("sim:l1d", core.data).data)) << core.name;
    EXPECT_TRUE(same(model("sim:l2", core.name).second, model("sim:l2", core.second).second)) << core.name;
    EXPECT_TRUE(same(model("sim:l1i", core.name).code, model("sim:l1i", core.code).code)) << core.name;
    chord_geometry first = model("sim:l1d", core.name).data, second = model("sim:l2", core.name).second;
    EXPECT_GT(uint64_t{second.sets} * second.ways << second.line_bits, uint64_t{first.sets} * first.ways << first.line_bits) << core.name;
  }
  EXPECT_EQ(chosen("sim:l1d=skylake").data.sets, 64u);
  EXPECT_EQ(chosen("sim:l2=zen3").second.sets, 1024u);
  EXPECT_EQ(chosen("sim:l2=apple-m1").second.line_bits, 7u);
}

TEST(ModelChoice, RefusesWhatIsNoCache) {
  for (const char *word : {"sim:l3", "sim:l1d=pentium", "sim:l1d=1000,2,64", "sim:l1d=32768,8", "sim:l1d=32768,8,64,1", "sim:l1d=32768,0,64",
                           "sim:l1d=32768,8,48", "sim:l1d=32768,8,8", "sim:l1d=99999999999,8,64", "sim:l1d=-1,8,64", "sim:l1d=0,8,64",
                           "sim:l1d=16777216,1,16", "sim:l1d=,,", "sim:"}) {
    chord_models models = {};
    EXPECT_THROW(choose_model(word, models), base::UsageError) << word;
  }
  EXPECT_THROW(check_models(chosen("sim:l2")), base::UsageError);
}

TEST(ModelChoice, PredictorsByKindSizesAndName) {
  chord_prediction usual = chosen("sim:branch").branch;
  EXPECT_EQ(usual.bits, 14u);
  EXPECT_EQ(usual.history_bits, 12u);
  EXPECT_EQ(usual.address_shift, 0u);
  chord_prediction cachegrind = chosen("sim:branch=cachegrind").branch;
  EXPECT_EQ(cachegrind.bits, 14u);
  EXPECT_EQ(cachegrind.history_bits, 7u);
  EXPECT_EQ(cachegrind.address_shift, 7u);
  EXPECT_EQ(chosen("sim:branch=bimodal,5").branch.history_bits, 0u);
  EXPECT_EQ(chosen("sim:l1i=cortex-a72").code.ways, 3u);
}

// Two-bit counters: two wrong ones in a row turn a saturated counter, and a right one in between saturates it again.
TEST(Predictor, CountersSaturate) {
  static chord_predictor predictor = {};
  auto missed = [&](const char *outcomes) {
    std::string out;
    for (const char *o = outcomes; *o != 0; ++o) out += chord_predict(&predictor, 3, *o == 'T') ? 'x' : '.';
    return out;
  };
  EXPECT_EQ(missed("NNTNTTTTNTNNNT"), "..x.xx..x.xx.x");
  EXPECT_EQ(predictor.counters[3], 2);
  EXPECT_EQ(predictor.counters[2], 0);
}

}  // namespace
}  // namespace chord::weave
