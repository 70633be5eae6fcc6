// The words of one stream, and the bits in them (abi/chord_abi.h, "Traces"), in the order in which replay takes them.
//
// Bits are taken before the word that holds them: those of an entry stand before the entry. A reader is a small value: a copy looks ahead.
#pragma once

#include <chord_abi.h>
#include <chord_traces.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/sequences/trace_tokens.h"
#include "format/trace/trace_file.h"

namespace chord::analysis {

class TraceWords {
 public:
  explicit TraceWords(const format::TraceStream &stream) : stream_(&stream) {}

  // The next word, or 0.
  uint64_t peek();
  void take();

  // Whether there are bits before the next word of another kind.
  bool load() { return bit_count_ != 0 || load_more(); }
  // A token may go over the end of a word.
  bool has(uint32_t wanted) { return bit_count_ >= wanted || has_further(wanted); }
  uint32_t read(uint32_t count) {
    if (count > bit_count_) return read_across(count);
    bit_count_ -= count;
    return static_cast<uint32_t>(bits_ >> bit_count_) & ((1u << count) - 1);
  }
  // The same, without reading them. As many as there are.
  uint32_t next(uint32_t count) const {
    if (count <= bit_count_) return static_cast<uint32_t>(bits_ >> (bit_count_ - count)) & ((1u << count) - 1);
    return TraceWords(*this).read(count);
  }
  // These come before the next word, which is of another kind, and a second time after it (`owed`). False: they have all come already.
  bool lend(const core::TraceToken &token) {
    if (token.bits <= owed) return false;
    const uint32_t more = token.bits - owed;
    bits_ = bits_ << more | (token.value & ((1u << more) - 1));
    bit_count_ += more;
    owed = token.bits;
    return true;
  }
  // Those of a path that goes on after what interrupted it: they come again, with more added.
  uint32_t put_back(uint32_t count) {
    const uint32_t lent = std::min(count, owed);
    bit_count_ = 0;
    owed -= lent;
    return count - lent;
  }
  // Puts together those that are left before the next word of another kind: a few.
  void gather();
  bool has_rest() const { return bit_count_ != 0; }
  // Of those that load() has found.
  bool next_bit() const { return (bits_ >> (bit_count_ - 1) & 1) != 0; }

  // Where a stream whose beginning is gone can be replayed from: goes there. Nothing: nowhere.
  struct Checkpoint {
    uint64_t place = 0;
    std::span<const uint64_t> callers;  // return addresses, innermost first
  };
  std::optional<Checkpoint> go_to_checkpoint();

  // The last time that was passed (CHORD_TRACE_TIME), or 0.
  uint64_t time_ns() const { return time_ns_; }

  // The last number of addresses that was passed (CHORD_TRACE_ACCESSES); UINT64_MAX: none was.
  uint64_t accesses() const { return accesses_; }

  uint32_t skipped = 0;  // bits that come a second time
  uint32_t owed = 0;     // bits that come of a token that has been followed already

 private:
  friend class CursorCodec;
  bool load_more();
  bool has_further(uint32_t wanted);
  uint32_t read_across(uint32_t count);

  const format::TraceStream *stream_;
  size_t chunk_ = 0, word_ = 0;  // the next word
  uint64_t bits_ = 0;            // the lowest `bit_count_` are not yet read
  uint32_t bit_count_ = 0;
  uint64_t time_ns_ = 0;
  uint64_t accesses_ = UINT64_MAX;
  bool entry_bits_taken_ = false;  // the next word is an entry, whose bits have been
};

inline bool is_full_word(uint64_t word) { return (word & CHORD_TRACE_FULL) != 0; }
inline bool is_partial_word(uint64_t word) { return !is_full_word(word) && (word & CHORD_TRACE_PARTIAL) != 0; }
inline uint32_t kind_of_word(uint64_t word) { return static_cast<uint32_t>(word >> CHORD_TRACE_KIND_SHIFT); }
// How many bits it holds.
uint32_t bits_of_word(uint64_t word);

}  // namespace chord::analysis
