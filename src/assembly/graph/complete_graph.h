// What the graph algorithms need of a procedure's graph: every block can be reached from the entry, and
// from every block the exit can be. Where the code says otherwise an edge is added that is never taken.
#pragma once

#include "assembly/graph/procedure.h"

namespace chord::assembly {

void complete_graph(Procedure &procedure);

}  // namespace chord::assembly
