// Which counters of loops are kept in registers, for how long, and in which ones.
//
// A counter inside a nest of loops can be kept in a register throughout any loop around
// it: the register is cleared where that loop is entered and added to memory where it is
// left. An outer loop is entered more rarely, but fewer registers are free in it. So each
// counter chooses a loop and a register; two counters may share a register only if
// neither's loop lies in the other's. Registers may be given in halves: two that each hold a
// counter, of which the low one can come and go while the high one counts, but not the other
// way round. So where both count at once, the low half's loop is the high one's or lies in it.
//
// Greedy: counters in falling order of the most they can save, each taking the loop and
// register that save it most among those left; innermost loops take low halves, as long as
// there are any, and others high ones. Invariant: after each choice no register is given
// twice to nested loops, halves are in order, and nothing is chosen that saves nothing.
// Where registers do not run out, every counter has its best loop, and no choice is better.
//
// O(C * D) register sets for C counters in loops nested D deep.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

inline constexpr uint32_t kRegisterClasses = 2;
inline constexpr uint32_t kHighHalves = 32;  // in a class of halves: the bit of a high half less that of the low one

struct RegisterProblem {
  struct Loop {
    uint32_t parent = kNone;                    // comes before its inner loops
    std::array<uint64_t, kRegisterClasses> free{};  // registers, one bit each
    std::array<double, kRegisterClasses> cost{};    // of entering and leaving, for one counter
  };
  struct Counter {
    uint32_t loop = kNone;                      // innermost around it
    std::array<double, kRegisterClasses> saved{};  // while in the loop, against memory
  };
  std::vector<Loop> loops;
  std::vector<Counter> counters;
  std::array<bool, kRegisterClasses> halves{};
};

struct RegisterChoice {
  uint32_t loop = kNone;  // kNone: stays in memory
  uint32_t kind = 0;      // class of register
  uint32_t reg = 0;       // its bit
  bool operator==(const RegisterChoice &) const = default;
};

// By counter.
std::vector<RegisterChoice> choose_registers(const RegisterProblem &problem);
// All of them together.
double saved_by(const RegisterProblem &problem, const std::vector<RegisterChoice> &chosen);

}  // namespace chord::core
