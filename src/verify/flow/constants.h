// Registers of which inserted code has made constants, at each instruction: what holds on all paths
// there. Counters of loops start from zero, and vector registers are counted up with one of all ones.
#pragma once

#include <map>
#include <vector>

#include "verify/flow/flow.h"

namespace chord::verify {

using Known = std::map<Atom, int64_t>;

class Constants {
 public:
  Constants(const Program &program, const std::vector<Transition> &transitions);

  // Where the instruction begins, and after it.
  const Known &before(uint32_t instruction) const;
  Known behind(uint32_t instruction) const;

 private:
  const Program &p_;
  std::map<uint32_t, Known> before_;
};

// What is known after inserted code.
Known known_at_end(const Known &start, const Machine &machine);

// Does the instruction of the program change what an atom's register holds?
bool changes(const Facts &facts, Atom atom);

}  // namespace chord::verify
