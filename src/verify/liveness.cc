#include "verify/liveness.h"

#include <deque>

#include "verify/evidence.h"

namespace chord::verify {
namespace {

class Solver {
 public:
  Solver(const Program &program, const Evidence &evidence) : p_(program), evidence_(evidence) {
    out_.before.assign(p_.instrs().size(), kEverything);
    out_.behind.assign(p_.instrs().size(), kEverything);
    out_.returned.assign(p_.functions().size(), 0);
    wanted_.assign(p_.functions().size(), 0);
  }

  Liveness run() {
    std::deque<uint32_t> waiting;
    std::vector<bool> queued(p_.functions().size(), true);
    for (uint32_t f = 0; f < p_.functions().size(); ++f) {
      for (uint32_t i : p_.functions()[f].instructions) out_.before[i] = out_.behind[i] = 0;
      waiting.push_back(f);
    }
    auto again = [&](uint32_t f) {
      if (!queued[f]) waiting.push_back(f);
      queued[f] = true;
    };
    while (!waiting.empty()) {
      uint32_t f = waiting.front();
      waiting.pop_front();
      queued[f] = false;
      out_.returned[f] = evidence_.live_at_return(f, wanted_[f]);
      Set entry = at_entry(f);
      while (sweep(f)) {
      }
      for (uint32_t g : grown_) again(g);
      grown_.clear();
      if (at_entry(f) == entry) continue;
      for (uint32_t i : p_.functions()[f].callers) again(p_.instrs()[i].function == kNone ? f : p_.instrs()[i].function);
    }
    return std::move(out_);
  }

 private:
  Set at_entry(uint32_t f) const {
    uint32_t i = p_.functions()[f].entry;
    return i == kNone ? kEverything : out_.before[i];
  }

  bool sweep(uint32_t f) {
    const Function &function = p_.functions()[f];
    Set landing = 0, named = 0;
    for (uint32_t i : function.landings) landing |= out_.before[i];
    for (uint32_t i : function.named) named |= out_.before[i];
    bool changed = false;
    for (auto i = function.instructions.rbegin(); i != function.instructions.rend(); ++i) {
      Set live = transfer(*i, f, landing, named);
      changed = changed || live != out_.before[*i];
      out_.before[*i] = live;
    }
    return changed;
  }

  Set at(uint32_t i) const { return i == kNone ? kEverything : out_.before[i]; }

  // What is live where control leaves the function by a jump.
  Set at_jump_out(const Instr &in, uint32_t f) const {
    Set there = in.target == kNone ? 0 : out_.before[in.target];
    return kArguments | out_.returned[f] | there;
  }

  Set at_target(const Instr &in, uint32_t f) {
    if (in.target != kNone && p_.instrs()[in.target].function == f) return out_.before[in.target];
    want(in, out_.returned[f]);
    return at_jump_out(in, f);
  }

  void want(const Instr &in, Set live) {
    uint32_t g = in.target == kNone ? kNone : p_.instrs()[in.target].function;
    if (g == kNone || p_.functions()[g].entry != in.target || (live & ~wanted_[g]) == 0) return;
    wanted_[g] |= live;
    grown_.push_back(g);
  }

  Set transfer(uint32_t i, uint32_t f, Set landing, Set named) {
    const Instr &in = p_.instrs()[i];
    const Facts &x = in.facts;
    bool falls = x.flow == Flow::next || x.flow == Flow::conditional || x.flow == Flow::call;
    // What ends in a call that does not return is followed by somebody else's code.
    bool ends = in.next == kNone || p_.instrs()[in.next].function != f;
    Set live = falls && !ends ? out_.before[in.next] : 0;
    if (falls && ends && x.flow != Flow::call && in.next != kNone) live = out_.before[in.next] | out_.returned[f] | kArguments;
    out_.behind[i] = live;
    switch (x.flow) {
      case Flow::call:
        want(in, live | landing);
        live = (live & ~evidence_.destroyed_by(in)) | landing | kArguments;
        if (in.target != kNone) live |= out_.before[in.target] & ~(kFlags | kPreserved);
        break;
      case Flow::conditional:
        live |= at_target(in, f);
        break;
      case Flow::jump:
        if (!x.indirect) live = at_target(in, f);
        if (x.indirect) live = (evidence_.stays(i) ? 0 : at_jump_out(in, f)) | (evidence_.leaves(i) ? 0 : named);
        break;
      case Flow::leave:
        live = out_.returned[f];
        break;
      default: break;
    }
    // What is not replaced of a vector register lives on; nobody looks at it where all use 128 bits.
    Set narrow = p_.uses_wide_vectors() ? 0 : x.narrow_kills;
    return (live & ~(x.kills | narrow)) | (x.reads & ~narrow) | (x.reads & x.source_reads);
  }

  const Program &p_;
  const Evidence &evidence_;
  Liveness out_;
  std::vector<Set> wanted_;  // by function: what its callers here want behind a call
  std::vector<uint32_t> grown_;
};

}  // namespace

Liveness compute_liveness(const Program &program, const Evidence &evidence) { return Solver(program, evidence).run(); }

}  // namespace chord::verify
