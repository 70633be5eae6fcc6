#include "core/register_choice.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace chord::core {
namespace {

class Chooser {
 public:
  explicit Chooser(const RegisterProblem &problem) : problem_(problem) {
    for (std::vector<uint64_t> &used : used_) used.resize(problem.loops.size());
    below_ = used_;
  }

  std::vector<RegisterChoice> run() {
    std::vector<double> most(problem_.counters.size());
    for (size_t i = 0; i < most.size(); ++i) most[i] = best(problem_.counters[i]).saved;
    std::vector<uint32_t> order(most.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return most[a] > most[b]; });
    std::vector<RegisterChoice> out(most.size());
    for (uint32_t i : order) {
      Best found = best(problem_.counters[i]);
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

  Best best(const RegisterProblem::Counter &counter) const {
    Best found;
    for (uint32_t l = counter.loop; l != kNone; l = problem_.loops[l].parent) {
      for (uint32_t kind = 0; kind < kRegisterClasses; ++kind) {
        double saved = counter.saved[kind] - problem_.loops[l].cost[kind];
        uint64_t left = available(l, kind);
        if (left == 0 || saved <= found.saved) continue;
        found = {{l, kind, static_cast<uint32_t>(std::countr_zero(left))}, saved};
      }
    }
    return found;
  }

  // Neither around the loop nor inside it in use.
  uint64_t available(uint32_t loop, uint32_t kind) const {
    uint64_t taken = below_[kind][loop];
    for (uint32_t l = loop; l != kNone; l = problem_.loops[l].parent) taken |= used_[kind][l];
    return problem_.loops[loop].free[kind] & ~taken;
  }

  void take(const RegisterChoice &choice) {
    uint64_t bit = uint64_t{1} << choice.reg;
    used_[choice.kind][choice.loop] |= bit;
    for (uint32_t l = choice.loop; l != kNone; l = problem_.loops[l].parent) below_[choice.kind][l] |= bit;
  }

  const RegisterProblem &problem_;
  std::array<std::vector<uint64_t>, kRegisterClasses> used_;   // by loop: by its own counters
  std::array<std::vector<uint64_t>, kRegisterClasses> below_;  // by loop: in it and the loops inside
};

}  // namespace

std::vector<RegisterChoice> choose_registers(const RegisterProblem &problem) { return Chooser(problem).run(); }

}  // namespace chord::core
