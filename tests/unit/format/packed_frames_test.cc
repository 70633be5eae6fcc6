#include "format/trace/packed_frames.h"

#include <chord_abi.h>
#include <chord_traces.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/file.h"
#include "format/trace/packed_trace.h"
#include "format/trace/trace_file.h"

namespace chord::format {
namespace {

constexpr size_t kChunk = 1 << 20, kWords = (kChunk - sizeof(chord_trace_chunk)) / 8, kSmall = 1 << 14;

// One of a thread's, all full but for `unused` words; what is in it follows from both numbers.
std::string chunk(uint32_t thread, uint64_t number, size_t unused, uint16_t holds = CHORD_TRACE_CONTROL, uint32_t size = kChunk) {
  chord_trace_chunk head{};
  head.magic = CHORD_TRACE_MAGIC;
  head.version = CHORD_TRACE_VERSION;
  head.size = size;
  head.thread = thread;
  head.process = 7;
  head.number = number;
  head.holds = holds;
  std::strcpy(head.path, "/bin/program");
  std::vector<uint64_t> words((size - sizeof head) / 8);
  std::mt19937_64 random(thread * 1000 + number);
  for (size_t n = 0; n + unused < words.size(); ++n) words[n] = CHORD_TRACE_FULL | random() % 64;
  if (holds == CHORD_TRACE_ADDRESSES) head.next = unused == 0 ? kWords : 0;
  std::string out(reinterpret_cast<const char *>(&head), sizeof head);
  return out.append(reinterpret_cast<const char *>(words.data()), words.size() * 8);
}

std::string trace_of(uint32_t threads, uint64_t chunks) {
  std::string out;
  for (uint64_t n = 0; n < chunks; ++n) {
    for (uint32_t t = 1; t <= threads; ++t) out += chunk(t, n, n + 1 == chunks ? 5000 : 0);
  }
  return out;
}

std::vector<uint64_t> words_of(const TraceChunks &chunks) {
  std::vector<uint64_t> out;
  for (size_t n = 0; n < chunks.size(); ++n) out.insert(out.end(), chunks[n].begin(), chunks[n].end());
  return out;
}

class PackedFramesTest : public testing::Test {
 protected:
  OpenedTrace open(const std::string &bytes) {
    base::replace_file(path_, bytes);
    return open_trace(path_);
  }
  void TearDown() override { std::remove(path_.c_str()); }

  std::string path_ = testing::TempDir() + "/packed_frames_test.chordtrace";
};

TEST_F(PackedFramesTest, HoldTheSameStreams) {
  const std::string trace = trace_of(3, 5) + std::string(4096, '\0') + chunk(1, 0, 9, CHORD_TRACE_ADDRESSES);
  const OpenedTrace raw = open(trace), packed = open(pack_trace(trace));
  ASSERT_TRUE(packed.packed);
  EXPECT_TRUE(packed.trace.warnings.empty());
  ASSERT_EQ(packed.trace.streams.size(), 3u);
  for (size_t n = 0; n < 3; ++n) {
    const TraceStream &one = raw.trace.streams[n], &other = packed.trace.streams[n];
    EXPECT_EQ(one.thread, other.thread);
    EXPECT_EQ(words_of(one.chunks), words_of(other.chunks));
    EXPECT_EQ(other.chunks.size(), 5u);
    EXPECT_EQ(words_of(one.addresses.chunks), words_of(other.addresses.chunks));
    EXPECT_EQ(one.addresses.bias, other.addresses.bias);
    EXPECT_EQ(one.addresses.thread, other.addresses.thread);
  }
  EXPECT_EQ(packed.trace.streams[0].addresses.chunks.count(0), kWords - 9 - CHORD_ADDRESSES_HEAD);
}

TEST_F(PackedFramesTest, AreUnpackedAsTheyAreNeeded) {
  const OpenedTrace opened = open(pack_trace(trace_of(1, 40)));  // four chunks in a frame
  ASSERT_TRUE(opened.packed);
  const TraceChunks &chunks = opened.trace.streams[0].chunks;
  EXPECT_EQ(opened.packed->unpacked(), 1u);  // the last: it may say why recording ended
  EXPECT_EQ(chunks.count(7), kWords);
  EXPECT_EQ(opened.packed->unpacked(), 1u);
  EXPECT_EQ(chunks[4].size(), kWords);
  EXPECT_EQ(chunks[7].size(), kWords);
  EXPECT_EQ(opened.packed->unpacked(), 2u);
  EXPECT_EQ(chunks[8].size(), kWords);
  EXPECT_EQ(opened.packed->unpacked(), 3u);
}

TEST_F(PackedFramesTest, DamageIsFoundWhereItIs) {
  const std::string trace = trace_of(1, 12);
  std::string packed = pack_trace(trace);
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 1);  // in the second frame of three
  const OpenedTrace raw = open(trace), damaged = open(packed);
  ASSERT_TRUE(damaged.packed);
  const TraceChunks &whole = raw.trace.streams[0].chunks, &chunks = damaged.trace.streams[0].chunks;
  for (size_t n : {0u, 3u, 8u, 11u}) EXPECT_TRUE(std::ranges::equal(whole[n], chunks[n])) << n;
  for (int times = 0; times < 2; ++times) EXPECT_THROW(chunks[5], base::Error);
}

// What another trace's directory says is not what the frames hold.
TEST_F(PackedFramesTest, ADirectoryOfAnotherTraceIsNotBelieved) {
  std::string other = trace_of(1, 4);
  other.replace(sizeof(chord_trace_chunk) + 800, 8, std::string(8, '\0'));
  TracePacker packer;
  std::string packed = packer.head() + packer.frame(trace_of(1, 4));
  PackedDirectory directory;
  directory.add(other);
  const std::string own_end = packer.end(), frame = directory.frame();
  uint32_t own_size = 0;
  std::memcpy(&own_size, own_end.data() + 4, 4);
  std::string table = own_end.substr(8 + own_size);
  const auto size = static_cast<uint32_t>(frame.size());
  table.replace(table.size() - 9 - 8, 4, reinterpret_cast<const char *>(&size), 4);
  EXPECT_THROW(open(packed + frame + table), base::Error);
}

TEST_F(PackedFramesTest, WithoutADirectoryAllIsUnpacked) {
  const std::string trace = trace_of(1, 5);
  TracePacker packer;
  std::string packed = packer.head() + packer.frame(trace.substr(0, 4 * kChunk)) + packer.frame(trace.substr(4 * kChunk)), end = packer.end();
  uint32_t directory = 0;
  std::memcpy(&directory, end.data() + 4, 4);
  const OpenedTrace opened = open(packed + end.substr(8 + directory));  // and a table that does not fit
  EXPECT_FALSE(opened.packed);
  EXPECT_EQ(words_of(opened.trace.streams[0].chunks), words_of(open(trace).trace.streams[0].chunks));
}

TEST_F(PackedFramesTest, NoChangedByteOfDirectoryOrTableChangesTheTrace) {
  const std::string trace = chunk(1, 0, 5, CHORD_TRACE_CONTROL, kSmall), packed = pack_trace(trace);
  const std::vector<uint64_t> whole = words_of(open(trace).trace.streams[0].chunks);
  size_t read = 0;
  for (size_t at = packed.size() - 300; at < packed.size(); ++at) {
    std::string changed = packed;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    try {
      const OpenedTrace opened = open(changed);
      EXPECT_EQ(words_of(opened.trace.streams[0].chunks), whole) << "byte " << at;
      ++read;
    } catch (const base::Error &) {
    }
  }
  EXPECT_NE(read, 0u);
}

}  // namespace
}  // namespace chord::format
