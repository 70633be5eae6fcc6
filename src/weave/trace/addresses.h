// Addresses of loads and stores (--trace=addresses): which are written, and the probes that do (abi/chord_traces.h).
//
// An address is written unless a reader knows the registers that it is made of (format/facts/known_registers.h): from another address that was written
// before, on every path, followed through what instructions make of it. So constants, and all but the first access to a frame, are not; nor are those
// through a register that a loop steps along: its value is written once, before the loop.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// Adds probes, and gives what goes into the map. Returns why the procedure cannot have them; empty: it can.
std::string plan_addresses(const ProcedureFacts &facts, ProcedurePlan &plan, core::AddressPlan &out);

}  // namespace chord::weave
