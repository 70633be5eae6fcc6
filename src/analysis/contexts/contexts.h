// Calling contexts (chord --context): the counters of each procedure in each context and thread in, exact
// calls and instructions of each out, and the proof that together they are the program's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/counting/count_procedure.h"
#include "analysis/program/cost_metric.h"
#include "format/profile/profile.h"

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

  struct Metrics {
    MetricNames &names;
    CostMetric &cost;
  };

  void add(const format::ContextCounts &counts, uint32_t module);
  bool empty() const { return sums_.empty(); }
  // Some process was killed: activations may have been running, unseen.
  void set_cut_off() { cut_off_ = true; }

  void keep_details() { keeps_details_ = true; }

  // Throws Error where the tree is none or the sums are not the procedures' own, which no early exits have
  // been added to yet.
  void check(const std::vector<Module> &modules) const;

  std::vector<CountedContext> count(const std::vector<Module> &modules, const ExitSums &exits, const Metrics &metrics,
                                    const AddExits &add_exits);

  // Replaces what was measured of the procedures by what was in the contexts that `wanted` names.
  void restrict(const std::string &wanted, std::vector<Module> &modules, const std::vector<CountedContext> &contexts);

 private:
  // One context of one thread, summed over segments. A million of them must fit: their counters lie side by side.
  struct Sum {
    uint64_t key = 0, parent = 0, procedure = 0;
    uint32_t thread = 0, module = 0, kind = 0, site = 0;
    size_t first = 0;  // of its counters in counters_
    uint32_t counters = 0;
  };
  using Measured = std::unordered_map<uint32_t, MeasuredProcedure>;  // by number of the sum

  std::span<const uint64_t> counters_of(const Sum &sum) const { return {counters_.data() + sum.first, sum.counters}; }
  // Number of a sum; kNone: there is none.
  uint32_t find(uint32_t thread, uint64_t key) const;
  uint32_t &slot_of(uint32_t thread, uint64_t key);
  void grow();
  static const CountedProcedure &procedure_of(const std::vector<Module> &modules, const Sum &sum);
  MeasuredProcedure measured_of(const std::vector<Module> &modules, uint32_t number) const;
  Measured with_early_exits(const std::vector<Module> &modules, const ExitSums &exits, const AddExits &add_exits) const;
  std::vector<uint32_t> in_tree_order() const;

  std::vector<Sum> sums_;
  std::vector<uint64_t> counters_;
  std::vector<uint32_t> slots_;  // numbers of sums by hash of thread and key, with gaps (kNone); a power of two
  Measured measured_;            // those that were left early
  bool cut_off_ = false, keeps_details_ = false;
};

}  // namespace chord::analysis
