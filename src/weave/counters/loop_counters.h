// Counters of call-free loops leave memory (core/paths/register_choice.h chooses).
//
// Two ways. Where a register of the program's own goes up by a constant step, by one
// instruction of one block and nowhere else in the loop, that block needs no probe at all
// (nor one that several such instructions follow, in turn; core/paths/alternating_steps.h; other steps in several
// places tell a sum, core/counters/counter_sums.h):
//     subq %rax,c     where the loop is entered
//     addq %rax,c     where it is left
// leaves step times the block's executions in c. Steps of 32 bits serve, too, as far as
// weave/counters/narrow_steps.h can make them count like those of 64. Otherwise a register that is dead
// throughout the loop counts, in place of memory:
//     xorl %r11d,%r11d     entered        pxor %xmm14,%xmm14; pcmpeqd %xmm15,%xmm15
//     incq %r11  (leaq)    counted        psubq %xmm15,%xmm14
//     addq %r11,c          left           movq %xmm14,%rax; addq %rax,c
// Where vector registers run out, each holds two counters, one in each half:
//     pxor %xmm14,%xmm14   entered        movlps (if only the low half is)
//     psubq low,%xmm14     counted        psubq high,%xmm14
//     movq … addq          left           movhlps %xmm14,%xmm14; movq %xmm14,%rax; addq %rax,c
//
// Memory changes in one instruction in every case, so a signal handler that runs the
// same code loses nothing. Whoever is interrupted inside has the difference in the
// register: the runtime records it, and the map says what it means (format::Held).
// Loops without calls are left by exceptions, longjmp or exit only through a signal
// handler, and then the interrupted registers are all there.
//
// A dead register is worth it in short rounds, and where a loop has one way out: others
// are searches that end soon, unless measured weights know better.
//
// Left alone: loops that are entered elsewhere than at their head, that hold calls,
// system calls, dispatches, landing pads, or whose ways in and out cannot carry code.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "assembly/graph/procedure.h"
#include "assembly/unit/liveness.h"
#include "core/counters/plan.h"
#include "core/graph/order.h"
#include "core/paths/register_choice.h"
#include "format/map/map.h"
#include "isa/contexts.h"
#include "weave/counters/narrow_steps.h"
#include "weave/facts/facts.h"
#include "weave/facts/sites.h"
#include "weave/plan/insertions.h"

namespace chord::weave {

struct HeldCounter {
  uint32_t counter = 0;
  isa::Holder holder;
  StepKind by_program = StepKind::none;  // other than none: the register is the program's, and needs no probe
};

struct LoopCounters {
  std::vector<format::Held> held;
  std::vector<HeldCounter> counters;  // beside `held`
  std::vector<Insertion> insertions;          // where loops are entered and left
  std::set<uint32_t> widened;         // instructions whose step is to be made in 64 bits

  const HeldCounter *find(uint32_t counter) const {
    for (const HeldCounter &h : counters) {
      if (h.counter == counter) return &h;
    }
    return nullptr;
  }
};

class LoopPlanner {
 public:
  // `liveness` and `sites` as the modes before have left them.
  LoopPlanner(const ProcedureFacts &facts, const assembly::Liveness &liveness, const Sites &sites);

  // Counters that the program's own registers give, and what they cost.
  struct Offer {
    core::Counter counter;
    std::vector<core::CounterSum::Term> terms;  // not empty: a sum, and no counter on a place
    double cost = 0;
    uint32_t loop = 0;
    std::vector<uint32_t> updates;  // instructions that step the register, ascending
    std::vector<core::Vertex> due;   // as format::Held has it
    StepKind kind = StepKind::none;
  };
  const std::vector<Offer> &offers() const { return offers_; }

  // For the finished plan of procedure number `n`. Registers in use are made live in `sites`.
  LoopCounters choose(const core::Plan &plan, uint32_t n, Sites &sites);

 private:
  struct Loop {
    uint32_t number = 0;           // in loops_
    uint32_t parent = core::kNone; // in eligible_
    std::vector<core::EdgeId> entries; // edges
    std::vector<core::EdgeId> exits;   // edges whose own site releases
    std::vector<core::Vertex> targets; // blocks all of whose incoming edges are exits: release there
    isa::Resources free = 0;
    isa::VectorUse vectors = isa::VectorUse::none;
  };

  static bool is_real(const assembly::Edge &e) {
    return e.kind != assembly::EdgeKind::never && e.kind != assembly::EdgeKind::return_edge;
  }
  bool estimates() const { return options_.weights != Options::Weights::measured; }
  // A loop with several ways out is a search, which ends sooner than estimates know.
  static bool is_search(const Loop &loop) { return loop.exits.size() + loop.targets.size() > 1; }
  bool find_crossings(Loop &loop) const;
  bool read_code(Loop &loop) const;
  void offer_updates(uint32_t l);
  void offer(uint32_t l, const std::vector<uint32_t> &updates);
  void offer_block(core::Vertex block, Offer offer);
  bool offer_blocks_followed(const Offer &common);
  void offer_sum(Offer offer);
  const Offer *offer_for(const core::Plan &plan, uint32_t counter) const;
  StepKind kind_of(uint32_t l, const std::vector<uint32_t> &updates);
  isa::Holder holder_of(const Offer &offer) const;
  template <class Make>
  double ways_cost(const Loop &loop, bool in, Make make) const;
  double cost_of(const Loop &loop, const isa::Holder &holder, StepKind by_program) const;
  // What makes the holder ready where a loop is entered.
  static isa::Snippet taking(const isa::AnyPlace &place, const isa::Holder &holder, StepKind by_program, isa::Resources live);
  // Flags are live where the loop is entered or left.
  bool flags_are_kept(const Loop &loop) const;
  double frequency(const core::Counter &counter) const;
  double waiting_price(uint32_t l) const;
  uint32_t innermost(const core::Counter &counter) const;
  bool inside(uint32_t l, core::Vertex block) const { return forest_.contains(eligible_[l].number, block); }
  void hold_offers(const core::Plan &plan);
  struct DeadRegisters;
  DeadRegisters dead_registers(bool halves) const;
  core::RegisterProblem::Loop registers_in(const Loop &loop, const DeadRegisters &dead) const;
  void hold_in_dead_registers(const core::Plan &plan);
  void share_registers(const std::vector<uint32_t> &candidates, const core::Plan &plan, const core::RegisterProblem &whole,
                       DeadRegisters &dead, std::vector<core::RegisterChoice> &chosen) const;
  void hold(uint32_t counter, uint32_t l, const isa::Holder &holder, const Offer *offer);
  void keep_live(Sites &sites) const;
  std::vector<uint32_t> held_with_halves(bool high_first) const;
  void write_insertions(uint32_t n, const Sites &sites);
  template <class Visit>
  void for_each_crossing(const Loop &loop, bool in, const Sites &sites, Visit visit) const;

  const assembly::Unit &unit_;
  const assembly::Procedure &p_;
  const assembly::Liveness &live_;
  std::optional<assembly::Liveness> upper_;  // of upper halves, made when first asked for
  const Sites &sites_;
  const std::vector<double> &weights_;
  const Options &options_;
  const core::Graph &graph_;
  core::Loops forest_;
  std::vector<bool> never_;              // by edge
  std::vector<core::Vertex> block_of_;     // by instruction
  std::vector<Loop> eligible_;
  std::vector<Offer> offers_;
  isa::VectorUse procedure_vectors_ = isa::VectorUse::none;
  LoopCounters out_;
  std::vector<uint32_t> loop_of_held_;  // beside out_.held: in eligible_
};

}  // namespace chord::weave
