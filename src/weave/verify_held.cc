#include "weave/verify_held.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::weave {

using assembly::Edge;
using assembly::EdgeKind;
using assembly::Procedure;

namespace {

// What inserted code did with a register on a way.
struct Use {
  uint32_t set = 0;      // written whatever it held
  uint32_t read = 0;     // read and left as it was
  uint32_t counted = 0;  // read and written
};

class HeldChecker {
 public:
  HeldChecker(const Procedure &p, const assembly::Liveness &live, const format::Held &held, const WayOf &way_of)
      : p_(p), live_(live), held_(held), reg_(isa::register_recorded(held.place)), way_of_(way_of) {}

  std::string fault() const {
    std::string what = fault_in_code();
    for (size_t e = 1; what.empty() && e < p_.edges.size(); ++e) {
      if (p_.edges[e].kind != EdgeKind::never) what = fault_on(p_.edges[e]);
    }
    return what.empty() ? what : fmt::format("counter {} in a register: {}", held_.counter, what);
  }

 private:
  bool inside(uint32_t block) const { return std::binary_search(held_.blocks.begin(), held_.blocks.end(), block); }
  bool by_program() const { return held_.update != core::kNone; }

  std::string fault_in_code() const {
    bool updated = false;
    for (uint32_t b : held_.blocks) {
      for (uint32_t i = p_.blocks[b].first; i < p_.blocks[b].first + p_.blocks[b].count; ++i) {
        const isa::Decoded &d = p_.instructions[i].decoded;
        if (d.flow == isa::Flow::call || d.unknown_effects) return "the loop calls";
        if (i == held_.update) {
          if (d.stepped != reg_ || d.step != held_.step) return "its instruction does something else";
          updated = true;
        } else if (d.writes & reg_) {
          return "the program changes the register";
        } else if (!by_program() && ((d.reads | live_.before[i]) & reg_)) {
          return "the program needs the register";
        }
      }
    }
    return by_program() && !updated ? "its instruction is not in the loop" : "";
  }

  std::string fault_on(const Edge &e) const {
    bool from = inside(e.from), to = inside(e.to);
    // Ways to vertices without code are checked where those lead to.
    if ((!from && !to) || p_.blocks[e.to].kind != assembly::BlockKind::code) return "";
    Use use = use_on(e);
    if (from && to) {
      if (use.set != 0 || use.read != 0) return "set up or added inside the loop";
      return by_program() && use.counted != 0 ? "a probe changes the program's register" : "";
    }
    uint32_t moved = by_program() || from ? use.read : use.set;
    uint32_t other = by_program() ? use.set + use.counted : from ? use.set : use.read;
    if (moved != 1 || other != 0) return from ? "not added once where the loop is left" : "not set up once where the loop is entered";
    return "";
  }

  Use use_on(const Edge &e) const {
    Use use;
    bool kept = false;
    for (const isa::Decoded &d : way_of_(e)) {
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
      use.set += writes && (!reads || (d.kills & reg_ & ~d.reads));
      use.read += reads && !writes;
      use.counted += reads && writes;
    }
    return use;
  }

  const Procedure &p_;
  const assembly::Liveness &live_;
  const format::Held &held_;
  isa::Resources reg_;
  const WayOf &way_of_;
};

}  // namespace

std::string held_fault(const Procedure &p, const assembly::Liveness &liveness, const format::Procedure &map,
                       const WayOf &way_of) {
  for (const format::Held &held : map.held) {
    std::string what = HeldChecker(p, liveness, held, way_of).fault();
    if (!what.empty()) return what;
  }
  return "";
}

}  // namespace chord::weave
