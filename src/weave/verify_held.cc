#include "weave/verify_held.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/due_steps.h"
#include "weave/counters/half_steps.h"

namespace chord::weave {

using assembly::Edge;
using assembly::EdgeKind;
using assembly::Procedure;

namespace {

// What inserted code did with a register on a way. A way may leave one loop and enter
// another that counts in the same register, so order matters: what is read belongs to the
// loop that was left until the register is set, and to the one that is entered from then on.
struct Use {
  uint32_t set = 0;         // written whatever it held
  uint32_t read_before = 0; // read and left as it was, before it was set
  uint32_t read_after = 0;
  uint32_t counted = 0;     // read and written
  uint32_t added = 0;       // of those read: by an addition,
  uint32_t subtracted = 0;  // by a subtraction
  uint32_t widened = 0;     // made ready for a countdown before it was subtracted,
  uint32_t too_early = 0;   // of those: before it was added
};

class HeldChecker {
 public:
  HeldChecker(const ProvedProcedure &proved, const format::Procedure &map, const format::Held &held, const WaysOf &ways_of)
      : proved_(proved), p_(proved.procedure), live_(proved.liveness), map_(map), held_(held),
        holder_(isa::holder_recorded(held.place)), reg_(holder_.reg), ways_of_(ways_of) {
    const core::Counter &counter = map.plan.counters[held.counter];
    if (counter.site == core::Site::sum) {
      sum_ = &map.plan.sums[counter.id];
    } else {
      counted_ = counter.site == core::Site::vertex ? counter.id : p_.edges[counter.id].to;
    }
  }

  std::string fault() {
    std::string what = fault_in_code();
    for (size_t e = 1; what.empty() && e < p_.edges.size(); ++e) {
      if (p_.edges[e].kind != EdgeKind::never) what = fault_on(p_.edges[e]);
    }
    return what.empty() ? what : fmt::format("counter {} in a register: {}", held_.counter, what);
  }

 private:
  static bool inside(const format::Held &held, uint32_t block) {
    return std::binary_search(held.blocks.begin(), held.blocks.end(), block);
  }
  bool inside(uint32_t block) const { return inside(held_, block); }
  bool by_program() const { return !held_.updates.empty(); }

  // What one count in the block adds.
  int32_t step_in(uint32_t block) const { return sum_ == nullptr ? held_.step : sum_->times_at(block); }

  // The instruction changes the register by the step in all its bits, each time.
  bool is_step(uint32_t block, uint32_t i) {
    const isa::Decoded &d = p_.instructions[i].decoded;
    if (d.stepped != reg_ || d.step != step_in(block)) return false;
    if (!d.half_step || proved_.widened.contains(i)) return true;
    auto in_loop = [&](uint32_t b) { return inside(b); };
    counts_down_ = kind_of_step(p_, live_, proved_.upper, in_loop, block, i) == StepKind::countdown;
    return counts_down_;
  }

  std::string fault_in_code() {
    size_t updated = 0;
    std::vector<uint8_t> stepping(p_.blocks.size());
    for (uint32_t b : held_.blocks) {
      for (uint32_t i = p_.blocks[b].first; i < p_.blocks[b].first + p_.blocks[b].count; ++i) {
        const isa::Decoded &d = p_.instructions[i].decoded;
        if (d.flow == isa::Flow::call || d.unknown_effects) return "the loop calls";
        if (std::binary_search(held_.updates.begin(), held_.updates.end(), i)) {
          if (!is_step(b, i)) return "its instruction does something else";
          ++updated;
          stepping[b] = stepping[b] == 0 ? 1 : 2;
        } else if (d.writes & reg_) {
          return "the program changes the register";
        } else if (!by_program() && ((d.reads | live_.before[i]) & reg_)) {
          return "the program needs the register";
        }
      }
    }
    if (updated != held_.updates.size()) return "an instruction of its is not in the loop";
    if (by_program() && (sum_ == nullptr ? due(stepping) : summed(stepping)) != held_.due) return "its instructions count something else";
    return counts_down_ && updated != 1 ? "it counts down twice" : "";
  }

  // Where a step is due, if it is the sum's terms, and those alone, that step.
  std::vector<core::Vertex> summed(const std::vector<uint8_t> &stepping) const {
    std::vector<core::Vertex> blocks;
    for (core::Vertex v = 0; v < stepping.size(); ++v) {
      if (stepping[v] > 1) return {};
      if (stepping[v] == 1) blocks.push_back(v);
    }
    return blocks.size() == sum_->terms.size() && held_.step == 1 ? blocks : std::vector<core::Vertex>{};
  }

  // Where a step is due, if the steps count the vertex that the counter is for.
  std::vector<core::Vertex> due(const std::vector<uint8_t> &stepping) const {
    core::Graph graph = p_.graph();
    core::Loops loops = core::find_loops(graph, core::depth_first_order(graph));
    std::vector<bool> never;
    for (const Edge &e : p_.edges) never.push_back(e.kind == EdgeKind::never);
    for (uint32_t l = 0; l < loops.loops.size(); ++l) {
      std::span<const core::Vertex> members = loops.members(l);
      std::vector<core::Vertex> sorted(members.begin(), members.end());
      std::sort(sorted.begin(), sorted.end());
      if (sorted != held_.blocks) continue;
      return core::due_steps(graph, loops, l, counted_, stepping, never).value_or(std::vector<core::Vertex>{});
    }
    return {};
  }

  std::string fault_on(const Edge &e) const {
    bool from = inside(e.from), to = inside(e.to);
    // Ways to vertices without code are checked where those lead to.
    if ((!from && !to) || p_.blocks[e.to].kind != assembly::BlockKind::code) return "";
    for (const std::vector<isa::Decoded> &way : ways_of_(e)) {
      Use use = use_on(way);
      if (std::string what = by_program() ? fault_of_own(use, e) : fault_of(use, from, to); !what.empty()) return what;
    }
    return "";
  }

  // Of a way that comes from inside the loop, leads into it, or both.
  std::string fault_of(const Use &use, bool from, bool to) const {
    if (from && to) {
      return use.set + use.read_before + use.read_after + use.widened != 0 ? "set up or added inside the loop" : "";
    }
    if (from) return use.read_before == 1 ? "" : "not added once where the loop is left";
    return use.set == 1 && use.read_after == 0 && use.widened == 0 ? "" : "not set up once where the loop is entered";
  }

  // The same where the register is the program's: it may count for several loops, one in the other.
  std::string fault_of_own(const Use &use, const Edge &e) const {
    uint32_t left = 0, entered = 0;
    for (const format::Held &h : map_.held) {
      if (h.place != held_.place || h.updates.empty()) continue;
      left += inside(h, e.from) && !inside(h, e.to);
      entered += !inside(h, e.from) && inside(h, e.to);
    }
    bool from = inside(e.from), to = inside(e.to);
    if (use.added + use.subtracted != use.read_before + use.read_after) return "read for something else";
    if (use.set + use.counted != 0) return "a probe changes the program's register";
    if (use.added != left) return "not added once where the loop is left";
    if (use.subtracted != entered) return "not set up once where the loop is entered";
    if (use.widened != (counts_down_ && !from && to ? 1 : 0)) return "set up for another kind of loop";
    return from && !to && use.too_early != 0 ? "changed before it is added" : "";
  }

  // Of a vector register one half counts, or both are the same: what is done to the other does
  // not matter. The high half is read where it is, or in the low half's place.
  Use use_of_half(const std::vector<isa::Decoded> &way) const {
    const bool high = holder_.part == isa::Holder::Part::high;
    Use use;
    bool moved = false;  // the high half is in the low one's place, too
    for (const isa::Decoded &d : way) {
      std::string_view name = d.mnemonic;
      if (name.starts_with('v')) name.remove_prefix(1);
      bool reads = d.reads & reg_, writes = d.writes & reg_;
      if (name == "movhlps" && writes) {
        moved = true;
        use.set += !high;
      } else if (name == "movlps" && writes) {
        moved = moved && high;
        use.set += !high;
      } else if (writes && !reads) {
        moved = false;
        ++use.set;
      } else if (reads && !writes) {
        bool of_high = name == "pextrq" || moved;
        if (of_high == high) ++(use.set == 0 ? use.read_before : use.read_after);
      }
    }
    return use;
  }

  Use use_on(const std::vector<isa::Decoded> &way) const {
    if (holder_.is_vector()) return use_of_half(way);
    Use use;
    bool kept = false, pushed = false, lent = false, opened = false;
    for (const isa::Decoded &d : way) {
      if (opened && d.stepped == reg_ && d.step == 1 && !d.half_step) {
        use.widened += use.subtracted == 0;
        use.too_early += use.added == 0;
        opened = false;
        continue;
      }
      if (!lent && !opened && isa::opens_countdown(d, reg_)) {
        opened = true;
        continue;
      }
      // Between push and pop a probe may use the register for something else.
      if (d.mnemonic == "push" && (d.reads & reg_)) pushed = true;
      if (d.mnemonic == "pop" && (d.writes & reg_)) pushed = lent = false;
      lent = lent || (pushed && (d.writes & reg_));
      if (lent) continue;
      // Probes of models compute the program's own addresses.
      if (by_program() && d.mnemonic == "lea" && !(d.writes & reg_)) continue;
      // What probes save and put back is no use: on the stack, or %rax in another register.
      bool moves = d.mnemonic == "mov" && (d.traits & (isa::kLoad | isa::kStore)) == 0;
      if (moves && !kept && d.reads == reg_ && (reg_ & *isa::register_named("rax"))) {
        kept = true;
        continue;
      }
      bool restores = kept && moves && (d.writes & reg_);
      if (restores) kept = false;
      if (kept || restores || d.mnemonic == "push" || d.mnemonic == "pop") continue;
      bool reads = d.reads & reg_, writes = d.writes & reg_;
      if (reads && !writes) {
        ++(use.set == 0 ? use.read_before : use.read_after);
        use.added += d.mnemonic == "add";
        use.subtracted += d.mnemonic == "sub";
      }
      use.set += writes && (!reads || (d.kills & reg_ & ~d.reads));
      use.counted += reads && writes;
    }
    return use;
  }

  const ProvedProcedure &proved_;
  const Procedure &p_;
  const assembly::Liveness &live_;
  const format::Procedure &map_;
  const format::Held &held_;
  const core::CounterSum *sum_ = nullptr;  // what is counted, or
  core::Vertex counted_ = core::kNone;
  bool counts_down_ = false;
  isa::Holder holder_;
  isa::Resources reg_;
  const WaysOf &ways_of_;
};

}  // namespace

std::string held_fault(const ProvedProcedure &proved, const format::Procedure &map, const WaysOf &ways_of) {
  for (const format::Held &held : map.held) {
    std::string what = HeldChecker(proved, map, held, ways_of).fault();
    if (!what.empty()) return what;
  }
  return "";
}

}  // namespace chord::weave
