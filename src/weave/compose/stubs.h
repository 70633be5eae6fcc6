// Stubs: code for an edge that a jump or a table names in place of its target. They stand at
// the end of a fragment and jump to the target, but for one of those that lead to a block which
// nothing falls into: that one stands in front of the block.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "assembly/graph/unwind_info.h"
#include "weave/plan/insertions.h"

namespace chord::weave {

struct Stub {
  std::string label;
  std::string body;
  assembly::UnwindRules rules;
};

// Edges whose stubs fall into their target: of those that could stand in front of one block, the
// one most often run. `stubs`: what stands in them, by edge.
std::set<uint32_t> falling_stubs(const std::map<uint32_t, Sequence> &stubs, const std::vector<double> &weights);

// The text that puts it in front of label statement `gap`, where the rules are `here`. A block
// that is aligned stays so.
std::string text_in_gap(const assembly::Source &source, uint32_t gap, const Stub &stub, const assembly::UnwindRules &here);

}  // namespace chord::weave
