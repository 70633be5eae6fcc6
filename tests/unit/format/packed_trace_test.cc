#include "format/trace/packed_trace.h"

#include <chord_abi.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/diagnostics.h"

namespace chord::format {
namespace {

std::string sample(size_t words) {
  std::mt19937_64 random(7);
  std::string out;
  for (size_t i = 0; i < words; ++i) {
    uint64_t word = i % 5 == 0 ? random() : i % 64;
    out.append(reinterpret_cast<const char *>(&word), sizeof word);
  }
  return out;
}

std::string unpacked(const std::string &packed) {
  std::vector<uint64_t> words = unpack_trace(packed, "it");
  return {reinterpret_cast<const char *>(words.data()), words.size() * sizeof words[0]};
}

TEST(PackedTrace, GivesBackWhatWasPacked) {
  for (size_t words : {size_t{0}, size_t{1}, size_t{1000}, size_t{(4 << 20) / 8}, size_t{700'000}}) {
    std::string trace = sample(words), packed = pack_trace(trace);
    EXPECT_TRUE(is_packed_trace(packed));
    EXPECT_FALSE(is_packed_trace(trace));
    EXPECT_EQ(unpacked(packed), trace) << words;
  }
}

TEST(PackedTrace, EndsWithTheSizesOfItsFrames) {
  std::string packed = pack_trace(sample(700'000));
  uint32_t magic = 0, frames = 0, sum = 0;
  std::memcpy(&magic, packed.data() + packed.size() - 4, 4);
  std::memcpy(&frames, packed.data() + packed.size() - 9, 4);
  EXPECT_EQ(magic, 0x8F92EAB1u);
  ASSERT_EQ(frames, 3u);
  for (uint32_t i = 0; i < frames; ++i) {
    uint32_t size = 0;
    std::memcpy(&size, packed.data() + packed.size() - 9 - 8 * (frames - i), 4);
    sum += size;
  }
  EXPECT_EQ(sum + 8 + 8 * frames + 9, packed.size());
}

TEST(PackedTrace, DamageIsNamed) {
  std::string packed = pack_trace(sample(10'000));
  EXPECT_THROW(unpack_trace(packed.substr(0, packed.size() / 2), "it"), base::Error);
  EXPECT_THROW(unpack_trace(packed.substr(0, packed.size() - 1), "it"), base::Error);
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string other = packed;
    other[random() % other.size()] = static_cast<char>(random());
    try {
      unpack_trace(other, "it");
    } catch (const base::Error &error) {
      EXPECT_NE(std::string(error.what()).find("it: damaged at byte"), std::string::npos);
    }
  }
}

// Noticed, or of no consequence.
TEST(PackedTrace, NoChangedByteChangesTheTrace) {
  std::string trace = sample(64), packed = pack_trace(trace);
  for (size_t at = 16; at < packed.size(); ++at) {
    std::string changed = packed;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    try {
      EXPECT_EQ(unpacked(changed), trace) << "byte " << at;
    } catch (const base::Error &) {
    }
  }
}

}  // namespace
}  // namespace chord::format
