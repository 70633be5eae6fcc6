#include "verify/differences.h"

#include <map>
#include <vector>

#include "verify/liveness.h"

namespace chord::verify {
namespace {

// Nothing: they may differ by anything.
using Known = std::optional<int64_t>;

class Solver {
 public:
  Solver(const Program &p, uint32_t function, unsigned a, unsigned b, bool halves)
      : p_(p), function_(function), a_(a), b_(b), halves_(halves) {}

  Known at(uint32_t instruction) {
    const Function &f = p_.functions()[function_];
    if (f.entry != kNone) reach(f.entry, std::nullopt);
    for (uint32_t i : f.named) reach(i, std::nullopt);
    for (uint32_t i : f.landings) reach(i, std::nullopt);
    while (!waiting_.empty()) {
      uint32_t i = waiting_.back();
      waiting_.pop_back();
      const Instr &in = p_.instrs()[i];
      Known after = behind(in.facts, before_.at(i));
      bool falls = in.facts.flow == Flow::next || in.facts.flow == Flow::conditional || in.facts.flow == Flow::call;
      if (falls && in.next != kNone) reach(in.next, after);
      bool jumps = in.facts.flow == Flow::jump || in.facts.flow == Flow::conditional;
      if (jumps && in.target != kNone) reach(in.target, after);
    }
    auto found = before_.find(instruction);
    return found == before_.end() ? std::nullopt : found->second;
  }

 private:
  void reach(uint32_t i, Known known) {
    if (p_.instrs()[i].function != function_) return;
    auto [at, first] = before_.emplace(i, known);
    if (!first) {
      if (!at->second || at->second == known) return;
      at->second.reset();
    }
    waiting_.push_back(i);
  }

  Known wrap(int64_t number) const { return halves_ ? static_cast<int32_t>(number) : number; }

  Known behind(const Facts &x, Known known) const {
    Set both = general(a_) | general(b_);
    if (x.flow == Flow::call && !((kPreserved & both) == both)) return std::nullopt;
    if (!(x.writes & both)) return known;
    const Sum &s = x.sum;
    bool usable = s.into != kNoRegister && (!s.half || halves_) && (x.writes & kGenerals) == general(s.into);
    if (!usable || (s.from != a_ && s.from != b_)) return std::nullopt;
    if (s.into == s.from) {
      if (!known) return known;
      return wrap(*known + (s.into == a_ ? s.plus : -s.plus));
    }
    // a = b + plus, or b = a + plus.
    return wrap(s.into == a_ ? s.plus : -s.plus);
  }

  const Program &p_;
  uint32_t function_;
  unsigned a_, b_;
  bool halves_;
  std::map<uint32_t, Known> before_;
  std::vector<uint32_t> waiting_;
};

}  // namespace

std::optional<int64_t> difference_before(const Program &p, uint32_t instruction, unsigned a, unsigned b, bool halves) {
  return Solver(p, p.instrs()[instruction].function, a, b, halves).at(instruction);
}

std::optional<int64_t> step_of(const Program &p, uint32_t instruction, unsigned reg, bool halves) {
  const Facts &x = p.instrs()[instruction].facts;
  if (!(x.writes & general(reg))) return 0;
  const Sum &s = x.sum;
  if (s.into != reg || (s.half && !halves) || (x.writes & kGenerals) != general(reg)) return std::nullopt;
  if (s.from == reg) return s.plus;
  std::optional<int64_t> known = difference_before(p, instruction, s.from, reg, halves);
  return known ? std::optional(halves ? static_cast<int32_t>(*known + s.plus) : *known + s.plus) : std::nullopt;
}

}  // namespace chord::verify
