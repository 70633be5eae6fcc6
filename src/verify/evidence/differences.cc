#include "verify/evidence/differences.h"

#include <array>
#include <map>
#include <vector>

#include "verify/evidence/liveness.h"

namespace chord::verify {
namespace {

// Each register less the one of interest. Nothing: they may differ by anything.
using Known = std::array<std::optional<int64_t>, 16>;

class Solver {
 public:
  Solver(const Program &p, uint32_t function, unsigned reg, bool halves) : p_(p), function_(function), reg_(reg), halves_(halves) {}

  Known at(uint32_t instruction) {
    const Function &f = p_.functions()[function_];
    Known nothing{};
    nothing[reg_] = 0;
    if (f.entry != kNone) reach(f.entry, nothing);
    for (uint32_t i : f.named) reach(i, nothing);
    for (uint32_t i : f.landings) reach(i, nothing);
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
    return found == before_.end() ? nothing : found->second;
  }

 private:
  void reach(uint32_t i, const Known &known) {
    if (p_.instrs()[i].function != function_) return;
    auto [at, first] = before_.emplace(i, known);
    if (!first) {
      Known both = at->second;
      for (unsigned r = 0; r < both.size(); ++r) {
        if (both[r] != known[r]) both[r].reset();
      }
      if (both == at->second) return;
      at->second = both;
    }
    waiting_.push_back(i);
  }

  int64_t wrap(int64_t number) const { return halves_ ? static_cast<int32_t>(number) : number; }

  Known behind(const Facts &x, const Known &before) const {
    Known out = before;
    const Sum &s = x.sum;
    bool adds = s.into != kNoRegister && (!s.half || halves_) && (x.writes & kGenerals) == general(s.into) && x.flow == Flow::next;
    std::optional<int64_t> value;  // of the register that is set, less the one of interest
    if (adds && before[s.from]) value = wrap(*before[s.from] + s.plus);
    for (unsigned r = 0; r < out.size(); ++r) {
      bool lost = (x.writes & general(r)) || (x.flow == Flow::call && !(kPreserved & general(r)));
      if (!lost) continue;
      if (r == reg_) {
        out = moved(before, value);
        if (adds && s.from != reg_) out[s.from] = wrap(-s.plus);
        return out;
      }
      out[r] = r == s.into ? value : std::nullopt;
    }
    return out;
  }

  // The register of interest goes up by `value`, or becomes something unknown.
  Known moved(const Known &before, const std::optional<int64_t> &value) const {
    Known out{};
    for (unsigned r = 0; value && r < out.size(); ++r) {
      if (before[r]) out[r] = wrap(*before[r] - *value);
    }
    out[reg_] = 0;
    return out;
  }

  const Program &p_;
  uint32_t function_;
  unsigned reg_;
  bool halves_;
  std::map<uint32_t, Known> before_;
  std::vector<uint32_t> waiting_;
};

}  // namespace

std::optional<int64_t> difference_before(const Program &p, uint32_t instruction, unsigned a, unsigned b, bool halves) {
  return Solver(p, p.instrs()[instruction].function, b, halves).at(instruction)[a];
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
