// Loops in which a register goes up by its step once between two visits of some vertex, but by
// an instruction that depends on the path taken.
//
// Given a loop, a vertex c of it and those vertices that step the register, the steps count the
// visits of c if on every walk from where the loop is entered to where it is left they alternate:
// c, step, c, step, ..., with a step last. The invariant is one bit per vertex, whether a step is
// due at its start: 0 at the loop's header, 1 after c, 0 after a step, the same whatever path
// leads to the vertex, and 0 on every exit from the loop.
//
// Example: h -> a -> h, h -> b -> h and a -> exit, where a and b step. From h to h there is one
// step, on either path, and the exit comes after one: h needs no counter of its own.
//
// O(edges of the loop). Tested by unit/core/alternating_steps_test.cc against walks.
#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/order.h"

namespace chord::core {

// Vertices, ascending, at whose start a step is due, c itself among them; nothing if steps and
// visits of c do not alternate. A vertex that is both steps after its start. `stepping`: by
// vertex, how many steps it makes. `never`: edges that control cannot take.
std::optional<std::vector<Vertex>> alternating_steps(const Graph &graph, const Loops &loops, uint32_t loop, Vertex c,
                                             const std::vector<uint8_t> &stepping, const std::vector<bool> &never);

}  // namespace chord::core
