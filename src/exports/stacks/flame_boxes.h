// The boxes of a flame graph: one for each chain of functions, as wide as what it and all it calls took. From the tree of functions: calls of
// one function from several places in another are one box.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::exports {

struct FlameBox {
  std::string name;
  uint32_t parent = core::kNone, depth = 0;
  // Instructions, own and with all it calls. Without a comparison the old ones are 0.
  uint64_t own = 0, all = 0, old_own = 0, old_all = 0;
  uint64_t width = 0;  // with all it calls: of each chain its own, old or new, whichever is more
  double left = 0;     // share of the first box's width
};

// The first is the whole program; callers come before callees, and the widest callee is leftmost.
std::vector<FlameBox> flame_boxes(const analysis::Program &program);
std::vector<FlameBox> compared_flame_boxes(const analysis::Program &before, const analysis::Program &after);

}  // namespace chord::exports
