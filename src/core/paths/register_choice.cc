#include "core/paths/register_choice.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace chord::core {
namespace {

constexpr uint64_t kLow = (uint64_t{1} << kHighHalves) - 1;

double saved_in(const RegisterProblem &problem, uint32_t counter, uint32_t loop, uint32_t kind) {
  return problem.counters[counter].saved[kind] - problem.loops[loop].cost[kind];
}

class Chooser {
 public:
  explicit Chooser(const RegisterProblem &problem) : problem_(problem), is_innermost_(problem.loops.size(), true) {
    for (std::vector<uint64_t> &used : used_) used.resize(problem.loops.size());
    inside_ = used_;
    for (const RegisterProblem::Loop &loop : problem.loops) {
      if (loop.parent != kNone) is_innermost_[loop.parent] = false;
    }
  }

  std::vector<RegisterChoice> run() {
    std::vector<double> most(problem_.counters.size());
    for (uint32_t i = 0; i < most.size(); ++i) most[i] = best(i).saved;
    std::vector<uint32_t> order(most.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return most[a] > most[b]; });
    std::vector<RegisterChoice> out(most.size());
    for (uint32_t i : order) {
      Best found = best(i);
      if (found.choice.loop == kNone) continue;
      take(found.choice);
      out[i] = found.choice;
    }
    return out;
  }

 private:
  struct Best {
    RegisterChoice choice;
    double saved = 0;
  };

  Best best(uint32_t counter) const {
    Best found;
    for (uint32_t l = problem_.counters[counter].loop; l != kNone; l = problem_.loops[l].parent) {
      for (uint32_t kind = 0; kind < kRegisterClasses; ++kind) {
        double saved = saved_in(problem_, counter, l, kind);
        uint64_t left = available(l, kind);
        if (left == 0 || saved <= found.saved) continue;
        found = {{l, kind, preferred(left, l, kind)}, saved};
      }
    }
    return found;
  }

  // Neither around the loop nor inside it in use.
  uint64_t available(uint32_t loop, uint32_t kind) const {
    uint64_t around = 0;
    for (uint32_t l = problem_.loops[loop].parent; l != kNone; l = problem_.loops[l].parent) around |= used_[kind][l];
    uint64_t inside = inside_[kind][loop], taken = around | used_[kind][loop] | inside;
    if (problem_.halves[kind]) taken |= (around & kLow) << kHighHalves | inside >> kHighHalves;
    return problem_.loops[loop].free[kind] & ~taken;
  }

  uint32_t preferred(uint64_t left, uint32_t loop, uint32_t kind) const {
    bool high = problem_.halves[kind] && !is_innermost_[loop] && (left & ~kLow) != 0;
    return static_cast<uint32_t>(std::countr_zero(high ? left & ~kLow : left));
  }

  void take(const RegisterChoice &choice) {
    uint64_t bit = uint64_t{1} << choice.reg;
    used_[choice.kind][choice.loop] |= bit;
    for (uint32_t l = problem_.loops[choice.loop].parent; l != kNone; l = problem_.loops[l].parent) inside_[choice.kind][l] |= bit;
  }

  const RegisterProblem &problem_;
  std::vector<bool> is_innermost_;
  std::array<std::vector<uint64_t>, kRegisterClasses> used_;    // by loop: by its own counters
  std::array<std::vector<uint64_t>, kRegisterClasses> inside_;  // by loop: in the loops inside
};

}  // namespace

std::vector<RegisterChoice> choose_registers(const RegisterProblem &problem) { return Chooser(problem).run(); }

double saved_by(const RegisterProblem &problem, const std::vector<RegisterChoice> &chosen) {
  double sum = 0;
  for (uint32_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].loop != kNone) sum += saved_in(problem, i, chosen[i].loop, chosen[i].kind);
  }
  return sum;
}

}  // namespace chord::core
