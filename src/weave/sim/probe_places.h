// What the probes of all models have to know of the places where they stand.
#pragma once

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// What keeps the path or the context's record, and registers that hold counters in some loop: nothing else is put into them.
isa::Resources taken_registers(const ProcedurePlan &plan);

// Does control leave the procedure with the instruction?
bool leaves(const ProcedureFacts &facts, uint32_t instruction);

// What takes a wider frame down in front of such an instruction comes later: where the record is, and the path, is known until then.
inline Phase phase_before(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t instruction) {
  return plan.holder.widens_frame() && leaves(facts, instruction) ? Phase::checking : Phase::last;
}

// How much more a probe takes in front of the instruction that needs flags and `wanted` registers.
unsigned price_before(const ProcedurePlan &plan, uint32_t instruction, unsigned wanted);

}  // namespace chord::weave
