#include "analysis/counting/interrupted.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::analysis {
namespace {

core::Vertex block_of(const format::Procedure &p, uint32_t instruction) {
  for (core::Vertex b = 0; b < p.blocks.size(); ++b) {
    if (instruction - p.blocks[b].first < p.blocks[b].count) return b;
  }
  return core::kNone;
}

// All arithmetic is modulo 2^64, as that of the registers is.
class Adder {
 public:
  Adder(const format::Procedure &p, const Interruption &interruption, MeasuredProcedure &measured)
      : p_(p), count_(static_cast<uint64_t>(interruption.count)), interruption_(interruption), measured_(measured) {
    measured.make_room(p.plan.counters.size());
  }

  void stand_before(uint32_t instruction) {
    if (interruption_.count != 0) measured_.exits.push_back({instruction, false, interruption_.count});
    core::Vertex block = block_of(p_, instruction);
    for (const format::Held &h : p_.held) {
      if (is_due(h, block, instruction)) measured_.counters[h.counter] += count_ * static_cast<uint64_t>(int64_t{step(h, block)});
    }
  }

  void add_held(const format::Held &h) {
    measured_.counters[h.counter] += interruption_.registers[h.place];
    if (!interruption_.registers_known) measured_.problem = "activations ended in a loop whose registers are not known";
  }

  void add_lack(const format::Spot::Lack &lack) {
    measured_.counters[lack.counter] += count_ * static_cast<uint64_t>(int64_t{lack.count});
  }

  void at_spot(const format::Spot &spot) {
    if (spot.instruction != core::kNone) stand_before(spot.instruction);
    for (const format::Spot::Lack &lack : spot.lacks) add_lack(lack);
    for (uint32_t h : spot.held) add_held(p_.held[h]);
  }

  void at_instruction(uint32_t instruction) {
    stand_before(instruction);
    uint32_t block = block_of(p_, instruction);
    for (const format::Held &h : p_.held) {
      if (std::binary_search(h.blocks.begin(), h.blocks.end(), block)) add_held(h);
    }
  }

 private:
  // What the instruction that is due in the block adds.
  int32_t step(const format::Held &h, core::Vertex block) const {
    const core::Counter &c = p_.plan.counters[h.counter];
    return c.site == core::Site::sum ? p_.plan.sums[c.id].times_at(block) : h.step;
  }

  // The count is supposed to be made, but the program's instruction that makes it is to come.
  bool is_due(const format::Held &h, uint32_t block, uint32_t instruction) const {
    if (!std::binary_search(h.due.begin(), h.due.end(), block)) return false;
    return std::none_of(h.updates.begin(), h.updates.end(),
                        [&](uint32_t u) { return u < instruction && u >= p_.blocks[block].first; });
  }

  const format::Procedure &p_;
  uint64_t count_;
  const Interruption &interruption_;
  MeasuredProcedure &measured_;
};

}  // namespace

bool add_interruption(const format::Procedure &p, const format::Anchor &anchor, uint32_t part, uint32_t offset,
                      const Interruption &interruption, MeasuredProcedure &measured) {
  if (!core::counts_anything(p.plan.placement)) return true;
  PartLayout layout(p, anchor, part);
  Adder adder(p, interruption, measured);
  if (std::optional<uint32_t> spot = layout.spot_at(offset); spot && *spot < p.spots.size()) {
    adder.at_spot(p.spots[*spot]);
    return true;
  }
  std::optional<uint32_t> instruction = layout.next_at(offset);
  if (instruction) adder.at_instruction(*instruction);
  return instruction.has_value();
}

std::string undo_steps(const format::Procedure &p, std::vector<uint64_t> &counters) {
  for (const format::Held &h : p.held) {
    if (h.step == 1 || h.counter >= counters.size()) continue;
    auto value = static_cast<int64_t>(counters[h.counter]);
    if (value % h.step != 0) {
      return fmt::format("counter {} went up by {} in steps of {}", h.counter, value, h.step);
    }
    counters[h.counter] = static_cast<uint64_t>(value / h.step);
  }
  return "";
}

}  // namespace chord::analysis
