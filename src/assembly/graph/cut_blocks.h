// Blocks of one procedure from its decoded instructions, and how to find them again.
//
// A block starts where control may arrive: at the target of a branch, after a jump or a
// call that may return twice, at a landing pad, at a label whose address somebody has. Padding in front
// of it belongs to the edges that lead through it, not to the block: to the one that falls into the block, and to
// those that arrive at a label before, or amid, the padding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// Where control may arrive without a branch that says so, by the section and position of
// the label that is mentioned.
struct Arrivals {
  Arrivals(const Source &source, const Unit &unit);

  std::unordered_map<uint64_t, std::vector<Mention>> landing_pads;
  std::unordered_map<uint64_t, std::vector<Mention>> taken;
  std::unordered_map<uint64_t, std::vector<uint32_t>> tables;  // tables with an entry there
};

// Leaves the procedure alone, for the first reason that is found.
void skip_procedure(const Source &source, const Instruction &in, std::string_view what, Procedure &procedure);

class BlockIndex {
 public:
  // Fills the procedure's code blocks and puts its instructions in their final order: block by
  // block, then the padding; or sets `skipped`. All arguments must outlive the index.
  BlockIndex(const Source &source, const Unit &unit, const Arrivals &arrivals, Procedure &procedure);

  // Instructions that alignment put before a block.
  struct Padding {
    uint32_t first = 0, count = 0;
  };
  // Where control goes that jumps to a label statement: through padding, if that is what stands there, into a block.
  struct Arrival {
    core::Vertex block = 0;
    Padding padding;
  };
  // Nothing if no block of ours starts there.
  std::optional<Arrival> arrival_at_label(uint32_t label) const;
  std::optional<Arrival> arrival_at(uint32_t instruction) const;
  // Of a direct branch: an instruction of ours, or kNoStatement.
  uint32_t target_of(uint32_t instruction) const { return targets_[instruction]; }
  // By first instruction.
  const std::map<uint32_t, core::Vertex> &blocks() const { return block_of_first_; }
  // Key of an instruction's place, as in Arrivals.
  uint64_t place_of(const Instruction &in) const;
  // Instructions at which control may arrive in a block: its first one, and the padding before it.
  std::vector<uint32_t> arrivals_in(core::Vertex block) const;
  Padding padding_before(core::Vertex block) const { return padding_.at(block); }
  bool may_return_twice(const Instruction &in) const;

 private:
  void place_instructions();
  uint32_t instruction_at_label(uint32_t label) const;
  uint32_t behind_padding(uint32_t i) const;
  bool inside(uint32_t label) const;
  uint32_t branch_target(const Instruction &in);
  bool loads_twice_returning(const Instruction &in) const;
  void find_leaders();
  void find_leaders_around(uint32_t i);
  void pass_over_padding();
  bool arrives_from_outside(const Instruction &in) const;
  void cut_blocks();
  const Statement &statement(const Instruction &in) const { return source_.statements[in.last_statement]; }
  void fail(const Instruction &in, std::string_view what) { skip_procedure(source_, in, what, p_); }

  const Source &source_;
  const Unit &unit_;
  const Arrivals &arrivals_;
  Procedure &p_;
  std::unordered_map<uint64_t, uint32_t> at_;  // place -> instruction
  std::vector<bool> leader_;                   // by instruction: starts a block
  std::vector<uint32_t> targets_;
  std::map<uint32_t, core::Vertex> block_of_first_;
  std::map<uint32_t, Padding> padding_;
  std::unordered_map<uint32_t, core::Vertex> block_of_padding_;  // by instruction, where it leads into the block
  bool loads_twice_returning_ = false;  // some instruction names setjmp or the like
};

}  // namespace chord::assembly
