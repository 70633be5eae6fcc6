// Calling contexts (chord --context): the counters of each procedure in each context and thread in, exact
// calls and instructions of each out, and the proof that together they are the program's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/count_procedure.h"
#include "format/profile.h"

namespace chord::analysis {

// By module, address, kind and path register (or context: CHORD_CONTEXT_EXIT).
using ExitSums = std::map<std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>, int64_t>;

class ContextCounter {
 public:
  // Procedures of a module, and what was measured of them, side by side.
  struct Module {
    std::vector<CountedProcedure> *procedures = nullptr;
    std::vector<MeasuredProcedure> *measured = nullptr;
    std::function<const uint32_t *(uint64_t key)> find;  // index of a procedure
    uint32_t first = 0;  // index of the first in Program::procedures
  };
  // Adds to `measured` what these exits mean, all of one module.
  using AddExits = std::function<void(uint32_t module, const ExitSums &exits, std::vector<MeasuredProcedure> &measured)>;

  void add(const format::ContextCounts &counts, uint32_t module);
  bool empty() const { return sums_.empty(); }

  // Throws Error where the tree is none or the sums are not the procedures' own, which no early exits have
  // been added to yet.
  void check(const std::vector<Module> &modules) const;

  std::vector<CountedContext> count(const std::vector<Module> &modules, const ExitSums &exits, const AddExits &add_exits);

  // Replaces what was measured of the procedures by what was in the contexts that `wanted` names.
  void restrict(const std::string &wanted, std::vector<Module> &modules, const std::vector<CountedContext> &contexts);

 private:
  struct Sum {
    format::ContextCounts counts;
    uint32_t module = 0;
    MeasuredProcedure measured;
  };
  void add_early_exits(const std::vector<Module> &modules, const ExitSums &exits, const AddExits &add_exits);
  std::vector<Sum *> in_tree_order();

  std::map<std::pair<uint32_t, uint64_t>, Sum> sums_;  // by thread and key
};

}  // namespace chord::analysis
