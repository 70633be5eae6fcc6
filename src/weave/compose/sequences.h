// Where in the text inserted code stands: the insertions at each place, in the order in which
// they run.
#pragma once

#include <map>

#include "weave/plan/insertions.h"

namespace chord::weave {

struct Sequences {
  std::map<uint32_t, Sequence> before, after;  // by statement
  std::map<uint32_t, Sequence> stubs;          // by edge

  void put(const Insertion &insertion);
};

}  // namespace chord::weave
