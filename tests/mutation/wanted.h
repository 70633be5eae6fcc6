// Who looks at a register, a flag or a word of the frame: asked of the planner's graph and data flow, with nothing of src/verify.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mutation/subject.h"

namespace chord::mutation {

// Somebody may look at what "rax", "xmm3", "carry", "overflow", "flags" (the other flags), "8(%rsp)" or "memory" holds in front of an
// instruction of the program (a statement; kNowhere: anywhere).
bool is_wanted(const Subject &s, uint32_t statement, const std::string &name);

// No edge of the graph leads to the instruction, from the entry on or from where control may come in otherwise.
bool is_unreached(const Subject &s, uint32_t statement);
// Statements of the woven text that control may come to: the program's by the graph, inserted code from there by falls and jumps.
std::vector<bool> executed_statements(const Subject &s);
// No edge of the map leads to the vertex.
bool is_unreached(const format::Procedure &p, uint32_t vertex);

}  // namespace chord::mutation
