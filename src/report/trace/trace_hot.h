// Whole program paths: what a run did over and over, across loops and calls (Larus, "Whole Program Paths", PLDI 1999).
//
// A thread's trace becomes a sequence of segments, each a path through one activation up to a call, a return or a jump backward. Of
// that sequence a grammar is made (core/sequences/sequitur.h), and the sequences of segments that executed most are found in it.
#pragma once

#include <string>

#include "analysis/trace/code.h"
#include "core/sequences/hot_sequences.h"
#include "core/sequences/sequitur.h"
#include "format/trace/trace_file.h"
#include "report/tables/table.h"

#include <map>
#include <vector>

namespace chord::report {

class HotTrace {
 public:
  // Replays the stream and adds it. `code` must outlive this. Gives why replay ended before the trace did; empty: it did not.
  std::string add(const analysis::TracedCode &code, const format::TraceStream &stream);

  // share, executed, count, instructions, path (functions with their lines), blocks (offsets).
  Table list(const core::HotSequences &wanted) const;
  uint64_t instructions() const { return instructions_; }

 private:
  struct Stretch {
    uint32_t procedure, first, count;
    auto operator<=>(const Stretch &) const = default;
  };
  struct Segment {
    const analysis::TracedCode *code = nullptr;
    std::vector<Stretch> stretches;
    auto operator<=>(const Segment &) const = default;
  };

  void end_segment(Segment &segment);
  std::string shown(const core::Sequence &sequence) const;
  std::string blocks(const core::Sequence &sequence) const;
  std::string shown(const Segment &segment) const;

  core::Sequitur sequence_;
  std::map<Segment, uint32_t> numbers_;
  std::vector<const Segment *> segments_;  // by symbol; null: a border between threads
  std::vector<uint64_t> weights_;          // instructions
  uint64_t instructions_ = 0;
};

}  // namespace chord::report
