// The code that a trace speaks of: traced procedures of one module, by number, with what replay asks of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/objects/object.h"
#include "analysis/objects/woven_code.h"
#include "core/graph/graph.h"
#include "core/sequences/trace_tokens.h"
#include "format/facts/late_tokens.h"
#include "format/facts/trace_encoding.h"

namespace chord::analysis {

struct TracedProcedure {
  const format::UnitMap *unit = nullptr;
  const format::Procedure *map = nullptr;
  const format::Anchor *anchor = nullptr;
  format::TraceCode code;                             // what its edges write
  std::shared_ptr<const format::LateTokens> late;     // which of them are written after others
  std::vector<std::vector<core::EdgeId>> out;         // by block: edges that control can take
  core::EdgeId enter = core::kNone;                   // the edge of activations that begin
  std::vector<uint32_t> run_end;                      // by instruction: where it stops next, after a call or with its block
  std::vector<uint32_t> block_of;                     // by instruction; kNone: padding
  std::vector<bool> is_call;                          // by instruction
  std::vector<uint32_t> enters;                       // by instruction: the procedure that this call or jump enters, which does not say so itself; else kNone
  // By instruction: the procedure whose mark this call leaves (format/facts/call_marks.h); kNobody: no procedure's, or that of several; kNone: it leaves none.
  static constexpr uint32_t kNobody = core::kNone - 1;
  std::vector<uint32_t> expects;
  std::vector<PartLayout> layouts;                    // by part
  // One of several that a block can be left by.
  bool is_branch(core::EdgeId edge) const { return edge != core::Graph::return_edge() && map->edges[edge].from != 0 && out[map->edges[edge].from].size() > 1; }
  // On the only path from the block's end to the instruction on which nothing is written; kNone: there is none.
  core::EdgeId edge_toward(uint32_t block, uint32_t instruction) const;
  size_t first_edge = 0, first_instruction = 0;       // its own begin there, where those of all procedures are numbered
};

// Where an address lies in it.
struct TracedPlace {
  uint32_t procedure = 0;
  uint32_t part = 0;
  uint32_t offset = 0;  // woven, from the part's start
};

// In front of an instruction (kNone: it has left, or was not yet entered as far as the trace tells), with what is due there and not yet written.
struct TracedPoint {
  uint32_t instruction = core::kNone;
  core::TraceToken due;
  core::EdgeId ahead = core::kNone;  // has not been taken, but its token is written
  bool unentered = false;
  uint32_t returning = core::kNone;  // the call that has come back, which is not yet written
};

class TracedCode {
 public:
  // Throws Error if the module cannot be read or is of another build.
  // `texts`: with what instructions are (format::decode_maps).
  TracedCode(const std::string &path, const std::string &build_id, bool texts = false);
  explicit TracedCode(Object object);

  const Object &object() const { return *object_; }
  // Nothing else can be asked then.
  Object release() { return std::move(*object_); }
  size_t size() const { return procedures_.size(); }
  size_t edge_count() const { return edges_; }
  size_t instruction_count() const { return instructions_; }
  const TracedProcedure &procedure(uint32_t number) const { return procedures_[number]; }
  // The procedure with the record (chord_proc) that is so many bytes from the first. Nothing: there is none, or it is not traced.
  std::optional<uint32_t> with_record(uint64_t offset) const;
  // Nothing: no traced procedure is there.
  std::optional<TracedPlace> find(uint64_t address) const;
  // Where an activation stands that was interrupted there. Nothing: that is not known.
  std::optional<TracedPoint> point(const TracedPlace &place) const;

 private:
  std::unique_ptr<Object> object_;
  std::vector<TracedProcedure> procedures_;
  std::vector<uint32_t> by_record_;  // kNone: not traced
  CodeIndex index_;
  size_t edges_ = 0, instructions_ = 0;
  void find_silent_entries();
  void find_expected_entries();

  // Answers of find(): the same few addresses are asked for all the time.
  struct Known {
    uint64_t address = UINT64_MAX;
    std::optional<TracedPlace> place;
  };
  mutable std::vector<Known> known_;
};

}  // namespace chord::analysis
