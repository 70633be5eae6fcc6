#include "analysis/trace/index_file.h"

#include "base/bytes.h"
#include "base/hash.h"

namespace chord::analysis {

using base::ByteReader;
using base::ByteWriter;

namespace {

constexpr uint64_t kMagic = 0x0a85d17c78646e69;  // as that of traces, with "indx"
constexpr uint32_t kVersion = 4;

// What tells this stream from any other.
uint64_t identity(const format::TraceStream &stream) {
  base::Hash hash;
  hash.add(uint64_t{CHORD_TRACE_VERSION}).add(stream.start_ns).add(uint64_t{stream.process}).add(uint64_t{stream.thread}).add(stream.module).add(stream.build_id);
  uint64_t words = 0;
  for (size_t n = 0; n < stream.chunks.size(); ++n) words += stream.chunks.count(n);
  hash.add(words);
  if (!stream.chunks.empty()) {
    std::span<const uint64_t> last = stream.chunks.back();
    for (uint64_t word : last.last(std::min<size_t>(last.size(), 64))) hash.add(word);
  }
  return hash.value();
}

}  // namespace

// Knows what a cursor is made of.
class CursorCodec {
 public:
  static void write(const TraceCursor &cursor, ByteWriter &out) {
    const TraceWords &words = cursor.words_;
    for (uint64_t value : {cursor.number_, uint64_t{words.chunk_}, uint64_t{words.word_}, words.bits_, uint64_t{words.bit_count_}, uint64_t{words.entry_bits_taken_},
                           words.time_ns_, uint64_t{words.skipped}, uint64_t{words.owed}, uint64_t{cursor.lacking_}, uint64_t{cursor.expected_}, uint64_t{cursor.outside_}, uint64_t{cursor.left_.has_value()}, uint64_t{cursor.stack_.size()}})
      out.varint(value);
    if (cursor.left_) write(*cursor.left_, out);
    for (const TraceFrame &frame : cursor.stack_) write(frame, out);
  }

  static bool read(ByteReader &in, const format::TraceStream &stream, TraceCursor &cursor) {
    TraceWords &words = cursor.words_;
    cursor.number_ = in.varint();
    words.chunk_ = in.bounded(stream.chunks.size());
    words.word_ = in.bounded(words.chunk_ < stream.chunks.size() ? stream.chunks.count(words.chunk_) : 0);
    words.bits_ = in.varint();
    words.bit_count_ = static_cast<uint32_t>(in.bounded(63));
    words.entry_bits_taken_ = in.bounded(1) != 0;
    words.time_ns_ = in.varint();
    words.skipped = static_cast<uint32_t>(in.bounded(255));
    words.owed = static_cast<uint32_t>(in.bounded(255));
    cursor.lacking_ = static_cast<uint32_t>(in.bounded(kMostPaths));
    cursor.expected_ = procedure(in, *cursor.code_);
    cursor.outside_ = in.bounded(1) != 0;
    bool left = in.bounded(1) != 0;
    uint64_t frames = in.bounded(in.remaining());
    if (left && !read(in, *cursor.code_, cursor.left_.emplace())) return false;
    cursor.stack_.clear();
    cursor.signals_ = 0;
    for (; frames != 0 && in.ok(); --frames) {
      if (!read(in, *cursor.code_, cursor.stack_.emplace_back())) return false;
      cursor.signals_ += cursor.stack_.back().interrupted ? 1 : 0;
    }
    // Only what stands in a function runs.
    bool stands = !cursor.stack_.empty() && !cursor.stack_.back().interrupted;
    return in.ok() && (stands || cursor.outside_) && callers_stand_at_calls(cursor);
  }

 private:
  static constexpr uint64_t kMostPaths = uint64_t{1} << core::PathTokens::kMostBits;
  static constexpr uint64_t kFresh = 1, kReturnsAgain = 2, kInterrupted = 4, kWasOutside = 8, kBeside = 16, kAll = 31;

  // Of a damaged file: nobody.
  static uint32_t procedure(ByteReader &in, const TracedCode &code) {
    const auto number = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    return number < code.size() ? number : TracedProcedure::kNobody;
  }

  // What comes back goes on with the next instruction, so there must be one to come back from.
  static bool callers_stand_at_calls(const TraceCursor &cursor) {
    const std::vector<TraceFrame> &stack = cursor.stack_;
    for (size_t n = 0; n < stack.size(); ++n) {
      bool waits = n + 1 == stack.size() ? cursor.outside_ : !stack[n + 1].interrupted || stack[n + 1].was_outside;
      if (stack[n].interrupted || !waits) continue;
      const format::Block &block = cursor.code_of(stack[n]).map->blocks[stack[n].block];
      if (stack[n].instruction >= block.first + block.count) return false;
    }
    return true;
  }

  static void write(const TraceFrame &frame, ByteWriter &out) {
    out.varint((frame.fresh ? kFresh : 0) | (frame.returns_again ? kReturnsAgain : 0) | (frame.interrupted ? kInterrupted : 0) | (frame.was_outside ? kWasOutside : 0) |
               (frame.beside ? kBeside : 0));
    for (uint64_t value : {uint64_t{frame.procedure}, uint64_t{frame.instruction}, uint64_t{frame.block}, frame.began, uint64_t{frame.skip_bits}, uint64_t{frame.owed_bits}, uint64_t{frame.path_bits}, uint64_t{frame.path_sum}, uint64_t{frame.expected}}) out.varint(value);
  }

  static bool read(ByteReader &in, const TracedCode &code, TraceFrame &frame) {
    uint64_t flags = in.bounded(kAll);
    frame.fresh = (flags & kFresh) != 0;
    frame.returns_again = (flags & kReturnsAgain) != 0;
    frame.interrupted = (flags & kInterrupted) != 0;
    frame.was_outside = (flags & kWasOutside) != 0;
    frame.beside = (flags & kBeside) != 0;
    frame.procedure = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    frame.instruction = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    frame.block = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    frame.began = in.varint();
    frame.skip_bits = static_cast<uint32_t>(in.bounded(255));
    frame.owed_bits = static_cast<uint32_t>(in.bounded(255));
    frame.path_bits = static_cast<uint32_t>(in.bounded(core::PathTokens::kMostBits));
    frame.path_sum = static_cast<uint32_t>(in.bounded(kMostPaths));
    frame.expected = procedure(in, code);
    if (!in.ok()) return false;
    if (frame.interrupted) return !frame.beside || frame.procedure < code.size() || frame.procedure == core::kNone;
    if (frame.procedure >= code.size() || frame.block >= code.procedure(frame.procedure).map->blocks.size()) return false;
    const format::Block &block = code.procedure(frame.procedure).map->blocks[frame.block];
    return frame.instruction >= block.first && frame.instruction - block.first <= block.count;
  }
};

std::string encode_indexes(const std::vector<const format::TraceStream *> &streams, const std::vector<const TraceIndex *> &indexes) {
  ByteWriter out;
  out.u64(kMagic);
  out.u32(kVersion);
  out.u32(static_cast<uint32_t>(streams.size()));
  for (size_t n = 0; n < streams.size(); ++n) {
    ByteWriter points;
    points.varint(indexes[n]->every_);
    points.varint(indexes[n]->instructions_);
    points.string(indexes[n]->problem_);
    points.varint(indexes[n]->points_.size());
    for (const TraceIndex::Point &point : indexes[n]->points_) CursorCodec::write(point.cursor, points);
    out.u64(identity(*streams[n]));
    out.u64(base::Hash().add(points.bytes()).value());
    out.string(points.bytes());
  }
  return out.take();
}

std::optional<TraceIndex> decode_index(std::string_view bytes, const TracedCode &code, const format::TraceStream &stream) {
  ByteReader in(bytes);
  if (in.u64() != kMagic || in.u32() != kVersion) return std::nullopt;
  uint64_t wanted = identity(stream);
  for (uint32_t left = in.u32(); left != 0 && in.ok(); --left) {
    uint64_t name = in.u64(), hash = in.u64();
    std::string_view payload = in.string();
    if (name != wanted || !in.ok()) continue;
    if (base::Hash().add(payload).value() != hash) return std::nullopt;
    ByteReader points(payload);
    TraceIndex index;
    index.every_ = points.bounded(uint64_t{1} << 40);
    index.instructions_ = points.varint();
    index.problem_ = points.string();
    uint64_t count = points.bounded(points.remaining());
    for (; count != 0 && points.ok(); --count) {
      TraceCursor cursor(code, stream);
      if (!CursorCodec::read(points, stream, cursor)) return std::nullopt;
      uint64_t number = cursor.number();
      if (!index.points_.empty() && number < index.points_.back().number) return std::nullopt;
      index.points_.push_back({number, std::move(cursor)});
    }
    bool starts = !index.points_.empty() && index.points_[0].number == 0;
    return points.ok() && starts && index.every_ != 0 ? std::optional(std::move(index)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace chord::analysis
