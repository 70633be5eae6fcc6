// The text of what an access to memory is made by, for code that takes its address.
#pragma once

#include <string>

#include "isa/models.h"
#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// The operand in memory of an instruction as it is woven: in a wider frame some have moved. Empty: it is not understood.
std::string operand_for_address(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t instruction, bool thread_segment);

// Where an access is. `why_not`: that cannot be told.
isa::DataAddress address_of(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t instruction, const isa::Access &access, std::string &why_not);

}  // namespace chord::weave
