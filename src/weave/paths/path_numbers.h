// The paths of a procedure: where they are cut, and their numbers (core/paths/path_numbering.h).
//
// Control that arrives from outside (landing pads, second returns) starts a path. A call that may return twice ends one, before it is
// made. A cut edge needs a probe; where a loop closes on an edge that cannot carry one, it is cut elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counters/plan.h"
#include "core/paths/path_numbering.h"
#include "weave/facts/facts.h"

namespace chord::weave {

class PathNumbers {
 public:
  PathNumbers(const ProcedureFacts &facts, const Sites &sites, const assembly::Liveness &liveness);

  // Paths that a table has room for, or more, to be found by number. False, with the reason, if they cannot be numbered.
  bool number(std::string &why_not);
  // So many at most.
  bool number_up_to(uint64_t limit, std::string &why_not);

  const core::PathNumbering &numbering() const { return *numbering_; }
  // Of a large procedure even the shortest paths are many.
  uint64_t largest_table() const;
  // By edge: where its probe stands, and what an addition costs there.
  const std::vector<Site> &sites() const { return site_; }
  std::vector<double> costs() const;
  // Control is never seen on it: it only stands for what comes from elsewhere.
  bool is_silent(const assembly::Edge &e) const;
  // Edges that control is seen on. Several probes can stand in front of one instruction: those of edges into its block come first.
  std::vector<core::EdgeId> in_order_of_probes() const;
  // The number with which paths start at a vertex that is entered from outside.
  int64_t start_at(core::Vertex landing, const core::PathProbes &probes) const;
  // Counters of activations, and of second returns, as they begin: how many were running when a process was killed follows from them
  // and the paths that came to their ends (analysis/program/path_counts.h).
  std::vector<core::Counter> beginnings() const;

 private:
  void cut_at_landings();
  Site before_last(uint32_t b) const;
  std::vector<double> cut_costs() const;
  bool looks_up_too_often() const;
  std::optional<core::PathNumbering> numbered(uint64_t limit, std::string &why_not) const;
  // Cuts elsewhere where a cut edge cannot carry a probe: has something changed?
  std::optional<bool> cut_elsewhere(std::string &why_not);

  const ProcedureFacts &facts_;
  const assembly::Procedure &p_;
  const assembly::Liveness &live_;
  const core::Graph &graph_;
  std::vector<Site> site_;    // by edge
  std::vector<bool> forced_;  // by edge: ends a path in any case
  std::optional<core::PathNumbering> numbering_;
};

// Which of the plan's counters is that of the edge?
std::optional<uint32_t> index_of_beginning(const core::Plan &plan, core::EdgeId edge);

}  // namespace chord::weave
