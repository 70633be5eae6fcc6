// Blocks (assembly/graph/cut_blocks.h) and edges of one procedure from its decoded instructions.
#pragma once

#include "assembly/graph/cut_blocks.h"
#include "assembly/graph/procedure.h"

namespace chord::assembly {

class GraphBuilder {
 public:
  GraphBuilder(const Source &source, const Unit &unit);

  // Fills blocks and edges, or sets `skipped`.
  void build(Procedure &procedure);

 private:
  const Source &source_;
  const Unit &unit_;
  Arrivals arrivals_;
};

}  // namespace chord::assembly
