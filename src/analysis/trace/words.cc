#include "analysis/trace/words.h"

#include <algorithm>
#include <bit>

namespace chord::analysis {
namespace {

bool is_entry(uint64_t word) { return word != 0 && kind_of_word(word) == CHORD_TRACE_ENTER; }

// Bits with the highest that is set above them; 0 if the word holds none.
uint64_t bits_in(uint64_t word) {
  if (is_full_word(word)) return word;
  if (is_partial_word(word)) return word & ~CHORD_TRACE_PARTIAL;
  return is_entry(word) ? word >> 32 : 0;
}

uint32_t count_of(uint64_t bits) { return bits == 0 ? 0 : static_cast<uint32_t>(std::bit_width(bits)) - 1; }

bool is_time(uint64_t word) { return !is_full_word(word) && !is_partial_word(word) && kind_of_word(word) == CHORD_TRACE_TIME; }

bool is_accesses(uint64_t word) { return !is_full_word(word) && !is_partial_word(word) && kind_of_word(word) == CHORD_TRACE_ACCESSES; }

uint64_t time_in(uint64_t word) { return word & ((uint64_t{1} << CHORD_TRACE_KIND_SHIFT) - 1); }

// How many words a checkpoint takes; 0: it is none.
uint64_t checkpoint_size(uint64_t word) {
  if (is_full_word(word) || is_partial_word(word) || kind_of_word(word) != CHORD_TRACE_CHECKPOINT) return 0;
  return 2 + (word & ((uint64_t{1} << 48) - 1));
}

}  // namespace

uint32_t bits_of_word(uint64_t word) { return count_of(bits_in(word)); }

uint64_t TraceWords::peek() {
  while (chunk_ < stream_->chunks.size()) {
    const std::span<const uint64_t> words = stream_->chunks[chunk_];
    const bool timed = word_ < words.size() && is_time(words[word_]);
    if (timed) time_ns_ = time_in(words[word_]);
    const bool counted = word_ < words.size() && is_accesses(words[word_]);
    if (counted) accesses_ = time_in(words[word_]);
    const uint64_t passed = timed || counted ? 1 : word_ < words.size() ? checkpoint_size(words[word_]) : 0;
    if (word_ < words.size() && passed == 0) return words[word_];
    word_ += std::min<uint64_t>(passed, words.size() - word_);
    if (word_ < words.size()) continue;
    ++chunk_;
    word_ = 0;
  }
  return 0;
}

std::optional<TraceWords::Checkpoint> TraceWords::go_to_checkpoint() {
  for (chunk_ = 0; chunk_ < stream_->chunks.size(); ++chunk_) {
    const std::span<const uint64_t> words = stream_->chunks[chunk_];
    for (word_ = 0; word_ < words.size(); ++word_) {
      if (is_time(words[word_])) time_ns_ = time_in(words[word_]);
      const uint64_t size = checkpoint_size(words[word_]);
      if (size == 0 || size > words.size() - word_) continue;
      Checkpoint found{words[word_ + 1], words.subspan(word_ + 2, size - 2)};
      owed = static_cast<uint32_t>(words[word_] >> 48) & 0xff;
      word_ += size;
      return found;
    }
  }
  return std::nullopt;
}

void TraceWords::take() {
  ++word_;
  entry_bits_taken_ = false;
}

// Once all have been read: those of the next word. False: there are none.
bool TraceWords::load_more() {
  while (bit_count_ == 0) {
    uint64_t word = peek();
    if (is_entry(word) && !entry_bits_taken_) {
      entry_bits_taken_ = true;
    } else if (is_full_word(word) || is_partial_word(word)) {
      take();
    } else {
      return false;
    }
    bits_ = bits_in(word);
    bit_count_ = count_of(bits_);
    uint32_t again = std::min(skipped, bit_count_);
    skipped -= again;
    bit_count_ -= again;
    uint32_t paid = std::min(owed, bit_count_);
    owed -= paid;
    bit_count_ -= paid;
  }
  return true;
}

void TraceWords::gather() {
  uint64_t bits = 0;
  uint32_t count = 0;
  for (; load(); bit_count_ = 0) {
    bits = bits << bit_count_ | (bits_ & ((uint64_t{1} << bit_count_) - 1));
    count += bit_count_;
  }
  bits_ = bits;
  bit_count_ = count;
}

bool TraceWords::has_further(uint32_t wanted) {
  if (!load()) return false;
  if (bit_count_ >= wanted) return true;
  TraceWords ahead = *this;
  for (uint32_t left = wanted; left != 0; --left) {
    if (!ahead.load()) return false;
    --ahead.bit_count_;
  }
  return true;
}

uint32_t TraceWords::read_across(uint32_t count) {
  uint32_t value = 0;
  for (; count != 0 && load(); --count) value = value << 1 | (static_cast<uint32_t>(bits_ >> --bit_count_) & 1);
  return value;
}

}  // namespace chord::analysis
