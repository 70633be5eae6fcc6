// The streams of a map's payload: their order is the format. Used by the encoder
// and the decoder of map_codec.h only.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "core/counters/plan.h"

namespace chord::format {

enum Stream : unsigned {
  kUnit,        // unit, id, folder, files, mnemonics
  kFormShapes,  // dictionary: shape and callee of each form
  kFormKinds,   // dictionary: mnemonic and traits of each form
  kKeys,        // per procedure
  kNames,       // procedure and fragment names, reasons for skipping
  kCounts,      // lengths of the procedure's lists, and small facts
  kFormLow,     // per instruction: number of the form, low byte
  kFormHigh,    // ... and the rest of it
  kSizes,
  kOffsets,
  kFragments,
  kFiles,
  kLines,
  kNumbers,  // slots of the shapes
  kLabels,
  kBlockKinds,
  kBlockFirsts,
  kBlockCounts,
  kEdgeFroms,
  kEdgeTos,
  kEdgeKinds,
  kEdgePaddings,
  kMarks,
  kCounters,
  kNevers,
  kHeld,
  kHeldBlocks,
  kSpots,
  kSpotLacks,
  kSpotHeld,
  kSpotPaths,
  kPaths,  // numbers of paths, cut edges, partial sums
  kMetrics,  // instructions that metrics are measured at
  kStreamCount,
};

// What is said of a procedure's paths in kPaths.
inline constexpr uint64_t kExceptNoise = 1, kByNumber = 2, kInRecords = 4, kLastPathFlag = kExceptNoise | kByNumber | kInRecords;

inline bool is_path_placement(core::Placement p) {
  return p == core::Placement::paths || p == core::Placement::chosen_paths;
}

class StreamWriter {
 public:
  base::ByteWriter &operator[](Stream s) { return streams_[s]; }

  std::string take() {
    base::ByteWriter out;
    for (const base::ByteWriter &stream : streams_) out.varint(stream.size());
    for (const base::ByteWriter &stream : streams_) out.raw(stream.bytes());
    return out.take();
  }

 private:
  std::array<base::ByteWriter, kStreamCount> streams_;
};

class StreamReader {
 public:
  explicit StreamReader(std::string_view payload) {
    base::ByteReader in(payload);
    std::array<uint64_t, kStreamCount> sizes{};
    for (uint64_t &size : sizes) size = in.varint();
    for (unsigned i = 0; i < kStreamCount; ++i) {
      streams_[i] = base::ByteReader(in.raw(sizes[i] <= in.remaining() ? sizes[i] : in.remaining() + 1));
    }
    whole_ = in.ok() && in.at_end();
  }

  base::ByteReader &operator[](Stream s) { return streams_[s]; }

  bool ok() const {
    bool ok = whole_;
    for (const base::ByteReader &stream : streams_) ok = ok && stream.ok();
    return ok;
  }
  bool at_end() const {
    bool end = true;
    for (const base::ByteReader &stream : streams_) end = end && stream.at_end();
    return end;
  }

  // A list's length: every element takes at least a byte of `elements`, so a
  // damaged length cannot ask for more memory than the file has bytes.
  size_t length(Stream lengths, Stream elements) {
    return static_cast<size_t>(streams_[lengths].bounded(streams_[elements].remaining()));
  }

 private:
  std::array<base::ByteReader, kStreamCount> streams_ = filled();
  bool whole_ = false;

  template <size_t... I>
  static std::array<base::ByteReader, kStreamCount> fill(std::index_sequence<I...>) {
    return {((void)I, base::ByteReader(std::string_view()))...};
  }
  static std::array<base::ByteReader, kStreamCount> filled() {
    return fill(std::make_index_sequence<kStreamCount>());
  }
};

}  // namespace chord::format
