// Runs of one build folded into one segment: see fold.cc.
#pragma once

#include "runtime.h"

namespace chord::runtime {

// What earlier runs of this build left in the profile, and where their sum can be written. Not on the stack: the
// writer may run on a small signal stack.
struct Fold {
  static constexpr size_t most_modules = 256, most_notes = 16, most_gaps = 8;

  // The segment that is added to; none if `base_size` is 0.
  uint64_t base, base_size, base_checksum;
  uint32_t base_flags;
  uint8_t *payload;  // of the base
  size_t payload_size;
  uint8_t *few_bytes;  // room for a small one
  uint64_t start_ns, threads, runs;
  bool same_folder, same_arguments;
  uint32_t module_count;  // of `modules`
  // By tag: of EXITS, THREADS and CONTEXTS what is in the record.
  struct List {
    const uint8_t *data;
    uint64_t size;
  } lists[CHORD_RECORD_CONTEXTS + 1];
  const char *notes[most_notes];
  uint32_t note_count;
  chord_superseded superseded;

  // What ended early in all runs, sorted; after `exit_count` of them, events of threads (module is all ones, pc the
  // thread).
  chord_exit *merged;
  chord_exit *few_exits;  // room for a few
  size_t merged_size;     // bytes mapped; 0: it is there
  size_t exit_count, event_count;

  // Where in the file nothing is that counts.
  struct Gap {
    uint64_t start, size;
    bool whole;  // one segment that no longer counts, and nothing else
  } gaps[most_gaps];
  uint32_t gap_count;
  uint64_t file_size;
  uint64_t end;  // after all that counts
  Module *modules[most_modules];  // ours, by the base's numbers
};

// Looks for a segment to add to, and for room; null if this segment is to stand alone, at the end. Call with the file locked.
Fold *begin_fold(Instance &instance, long file, uint64_t file_size, const End &end);
// Adds the base's counters to what is about to be written, or takes them back.
void add_base_counts(Fold &fold, bool take_back);
// Where a segment of this size, header included, is to be written.
uint64_t find_room(Fold &fold, long file, uint64_t size);
// The new segment is whole, and the base no longer counts.
void drop_base(Fold &fold, long file);
void end_fold(Fold *fold);

}  // namespace chord::runtime
