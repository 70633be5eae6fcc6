// Which path a round of a loop most often takes, by estimated weights.
//
// From the edge on which the round ends back along the heaviest way in, up to the edge on which
// paths start anew.
#pragma once

#include <optional>
#include <vector>

#include "assembly/graph/procedure.h"
#include "core/graph/graph.h"
#include "core/paths/path_numbering.h"

namespace chord::weave {

struct ExpectedPath {
  int64_t number = 0;  // what the path register holds at its end
  double likely = 1;   // share of the ways that come there with it
};

// Of paths that end on edge `e`; nothing if the way back is lost. `restarts`: by edge, paths
// start there with a number of their own.
std::optional<ExpectedPath> expected_path(const assembly::Procedure &procedure, const core::Graph &graph,
                                          const std::vector<double> &weights, const core::PathProbes &probes,
                                          const std::vector<bool> &restarts, core::EdgeId e);

}  // namespace chord::weave
