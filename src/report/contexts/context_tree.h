// The tree of calling contexts as rows that fold and unfold (chord browse).
//
// A row is shown if all above it are unfolded. At first those are that lead to a tenth of all instructions or more, so
// that the first look shows where the program spends itself. O(nodes shown) for each look.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/contexts/contexts.h"

namespace chord::report {

class ContextTree {
 public:
  explicit ContextTree(const analysis::Program &program);

  bool empty() const { return nodes_.empty(); }
  const ContextNode &node(uint32_t n) const { return nodes_[n]; }
  // Index in Program::procedures.
  uint32_t procedure(uint32_t n) const;
  bool has_callees(uint32_t n) const { return end_of_[n] != n + 1; }
  bool unfolded(uint32_t n) const { return unfolded_[n]; }

  // Nodes that are shown, in order.
  std::vector<uint32_t> shown() const;
  void toggle(uint32_t n) { unfolded_[n] = !unfolded_[n]; }
  // Unfolds all above it.
  void reveal(uint32_t n);
  // Contexts of the procedure, those that took most by themselves first.
  std::vector<uint32_t> of(uint32_t procedure) const;
  // "main > parse > next"
  std::string chain(uint32_t n) const { return shown_chain(nodes_, n); }

 private:
  const analysis::Program &program_;
  std::vector<ContextNode> nodes_;
  std::vector<uint32_t> end_of_;  // by node: the first after it that is not below it
  std::vector<bool> unfolded_;
};

}  // namespace chord::report
