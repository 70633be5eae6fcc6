#include "verify/evidence/liveness.h"

#include <deque>

namespace chord::verify {
namespace {

class Solver {
 public:
  // `rules`: null for those of the usual convention.
  Solver(const Program &program, const Jumps &jumps, const CallRules *rules) : p_(program), jumps_(jumps), rules_(rules), usual_(rules == nullptr) {
    out_.before.assign(p_.instrs().size(), kEverything);
    out_.behind.assign(p_.instrs().size(), kEverything);
    out_.jumped.assign(p_.instrs().size(), kEverything);
    out_.returned.assign(p_.functions().size(), 0);
    wanted_.assign(p_.functions().size(), 0);
    // Of callers that belong to no function nothing is known.
    for (uint32_t f = 0; f < wanted_.size(); ++f) {
      for (uint32_t i : p_.functions()[f].callers) wanted_[f] |= p_.instrs()[i].function == kNone ? kEverything : 0;
    }
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
      out_.returned[f] = usual_ ? kPreserved | kResults : rules_->live_at_return(f, wanted_[f]);
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
    Set landing = 0;
    for (uint32_t i : function.landings) landing |= out_.before[i];
    bool changed = false;
    for (auto i = function.instructions.rbegin(); i != function.instructions.rend(); ++i) {
      Set live = transfer(*i, f, landing);
      changed = changed || live != out_.before[*i];
      out_.before[*i] = live;
    }
    return changed;
  }

  Set at(uint32_t i) const { return i == kNone ? kEverything : out_.before[i]; }

  // What is live where control leaves the function by a jump.
  Set at_jump_out(const Instr &in, uint32_t f) const {
    uint32_t g = in.target == kNone ? kNone : p_.instrs()[in.target].function;
    bool enters = g != kNone && p_.functions()[g].entry == in.target;
    Set there = in.target == kNone || enters ? 0 : out_.before[in.target];
    return read_by_call(in) | out_.returned[f] | there;
  }

  Set at_target(const Instr &in, uint32_t f) {
    if (in.target != kNone && p_.instrs()[in.target].function == f) return out_.before[in.target];
    want(in, out_.returned[f]);
    return at_jump_out(in, f);
  }

  Set read_by_call(const Instr &in) const {
    return usual_ ? kArguments : rules_->read_by_call(static_cast<uint32_t>(&in - p_.instrs().data()));
  }

  void want(const Instr &in, Set live) {
    if (in.facts.indirect) return want_of_anybody(live);
    // Compilers jump to a function's end only from where nobody comes.
    if (in.to_end && !usual_ && rules_->is_compiled(in.function)) return;
    uint32_t g = in.target == kNone ? kNone : p_.instrs()[in.target].function;
    if (g != kNone && p_.functions()[g].entry == in.target) want_of(g, live);
  }

  void want_of(uint32_t g, Set live) {
    if ((live & ~wanted_[g]) == 0) return;
    wanted_[g] |= live;
    grown_.push_back(g);
  }

  void want_of_anybody(Set live) {
    if ((live & ~wanted_of_anybody_) == 0) return;
    wanted_of_anybody_ |= live;
    for (uint32_t g = 0; g < p_.functions().size(); ++g) {
      if (p_.functions()[g].address_loaded) want_of(g, wanted_of_anybody_);
    }
  }

  Set at_targets(uint32_t i) const {
    Set live = 0;
    for (uint32_t to : jumps_.targets(i)) live |= out_.before[to];
    return live;
  }

  Set transfer(uint32_t i, uint32_t f, Set landing) {
    const Instr &in = p_.instrs()[i];
    const Facts &x = in.facts;
    bool falls = x.flow == Flow::next || x.flow == Flow::conditional || x.flow == Flow::call;
    // What ends in a call that does not return is followed by somebody else's code.
    bool ends = in.next == kNone || p_.instrs()[in.next].function != f;
    Set live = falls && !ends ? out_.before[in.next] : 0;
    if (falls && ends && x.flow != Flow::call && in.next != kNone) live = out_.before[in.next] | out_.returned[f] | read_by_call(in);
    out_.behind[i] = live;
    switch (x.flow) {
      case Flow::call:
      {
        want(in, live | landing);
        Set reads = read_by_call(in);
        bool elsewhere = in.facts.indirect || in.target == kNone;
        Set destroyed = usual_ && elsewhere ? kEverything & ~kPreserved : reads & kFlags ? 0 : kFlags;
        live = (live & ~destroyed) | landing | reads;
        break;
      }
      case Flow::conditional:
        out_.jumped[i] = at_target(in, f);
        live |= out_.jumped[i];
        break;
      case Flow::jump:
        if (!x.indirect) live = at_target(in, f);
        if (x.indirect && !jumps_.stays(i)) want(in, out_.returned[f]);
        if (x.indirect) live = (jumps_.stays(i) ? 0 : at_jump_out(in, f)) | (jumps_.leaves(i) ? 0 : at_targets(i));
        out_.jumped[i] = live;
        break;
      case Flow::leave:
        live = out_.returned[f];
        break;
      default: break;
    }
    // What is not replaced of a vector register lives on; nobody looks at it where all use 128 bits.
    Set narrow = p_.uses_wide_vectors() ? 0 : x.narrow_kills;
    live = (live & ~(x.kills | narrow)) | (x.reads & ~narrow) | (x.reads & x.source_reads);
    return usual_ ? live : live | rules_->always_wanted(f);
  }

  const Program &p_;
  const Jumps &jumps_;
  const CallRules *rules_;
  Liveness out_;
  bool usual_;
  Set wanted_of_anybody_ = 0;  // after calls through a register
  std::vector<Set> wanted_;  // by function: what its callers here want after a call
  std::vector<uint32_t> grown_;
};

}  // namespace

Liveness compute_liveness(const Program &program, const Jumps &jumps, const CallRules &rules) { return Solver(program, jumps, &rules).run(); }

Liveness compute_usual_liveness(const Program &program, const Jumps &jumps) { return Solver(program, jumps, nullptr).run(); }

}  // namespace chord::verify
