#include "format/profile/profile.h"

#include <gtest/gtest.h>

#include "chord_abi.h"
#include "unit/format/samples.h"

namespace chord::format {
namespace {

TEST(Profile, RoundTripOfRandomSegments) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Sampler sample(seed);
    std::vector<Segment> segments = {sample.segment(), sample.segment(), sample.segment()};
    std::string bytes;
    for (const Segment &s : segments) bytes += encode_segment(s);
    Profile back = decode_profile(bytes);
    ASSERT_TRUE(back.warnings.empty()) << "seed " << seed << ": " << back.warnings[0];
    ASSERT_EQ(back.segments, segments) << "seed " << seed;
  }
}

TEST(Profile, TextFormRoundTrip) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Profile profile{{Sampler(seed).segment(), Sampler(seed + 1000).segment()}, {}};
    Profile back;
    std::string error;
    ASSERT_TRUE(profile_from_text(to_text(profile), back, error)) << "seed " << seed << ": " << error;
    ASSERT_EQ(back.segments, profile.segments) << "seed " << seed;
  }
}

TEST(Profile, EverySegmentIsAMultipleOfEightBytes) {
  for (uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_EQ(encode_segment(Sampler(seed).segment()).size() % 8, 0u);
}

TEST(Profile, TornSegmentsAreSkippedAndNamed) {
  Sampler sample(5);
  Segment first = sample.segment(), last = sample.segment();
  std::string torn = encode_segment(sample.segment());
  std::string headless = torn;
  std::fill_n(headless.begin(), sizeof(chord_segment_header), '\0');
  Profile back = decode_profile(encode_segment(first) + headless + encode_segment(last) + torn.substr(0, 40));
  ASSERT_EQ(back.segments, (std::vector<Segment>{first, last}));
  ASSERT_EQ(back.warnings.size(), 2u);
  EXPECT_NE(back.warnings[0].find("no segment"), std::string::npos) << back.warnings[0];
  EXPECT_NE(back.warnings[1].find("cut short"), std::string::npos) << back.warnings[1];
}

TEST(Profile, DamagedForeignAndNewerSegmentsAreNamed) {
  Segment good = Sampler(6).segment();
  std::string damaged = encode_segment(good), newer = encode_segment(good);
  damaged[damaged.size() - 1] = static_cast<char>(damaged[damaged.size() - 1] ^ 0x40);
  newer[8] = 77;
  Profile back = decode_profile(damaged + newer + encode_segment(good));
  ASSERT_EQ(back.segments.size(), 1u);
  ASSERT_EQ(back.warnings.size(), 2u);
  EXPECT_NE(back.warnings[0].find("checksum"), std::string::npos);
  EXPECT_NE(back.warnings[1].find("version 77"), std::string::npos);
  back = decode_profile("this is not a profile, but some text");
  EXPECT_TRUE(back.segments.empty());
  EXPECT_EQ(back.warnings.size(), 1u);
  EXPECT_EQ(decode_profile("").warnings.size(), 1u);
}

TEST(Profile, EveryPrefixIsReadable) {
  Sampler sample(8);
  std::string bytes = encode_segment(sample.segment()) + encode_segment(sample.segment());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Profile back = decode_profile(std::string_view(bytes).substr(0, size));
    ASSERT_LT(back.segments.size(), 2u);
  }
}

TEST(Profile, LongRunsOfZerosStayShort) {
  Segment s;
  s.modules.emplace_back().procedures.push_back({1, std::vector<uint64_t>(100000, 0)});
  std::string bytes = encode_segment(s);
  EXPECT_LT(bytes.size(), 300u);
  EXPECT_EQ(decode_profile(bytes).segments[0], s);
}

TEST(Profile, TextFormNamesTheLine) {
  Profile out;
  std::string error;
  EXPECT_FALSE(profile_from_text("label \"x\"\n", out, error));
  EXPECT_EQ(error, "line 1: a segment must come first");
  EXPECT_FALSE(profile_from_text("segment 0\ncounts 0x1 2\n", out, error));
  EXPECT_EQ(error, "line 2: counts before any module");
}

}  // namespace
}  // namespace chord::format
