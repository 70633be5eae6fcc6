// Probes that tell a thread's meter (runtime/metrics/meter.cc) what its time is taken by. They change no register.
#pragma once

#include "isa/contexts.h"
#include "isa/isa.h"

namespace chord::isa {

// An activation begins whose sums are at the place. The red zone must be dead, and flags if the sums are in a record.
Snippet enter_meter(const AnyPlace &sums, Resources live);
// It ends, with the stack pointer where it was.
Snippet leave_meter(Resources live);

// A path has ended, whose sum is sums[holder + sums.index]; `leaves`: and the activation with it. The sums are thread-local ones of
// an executable.
Snippet meter_path(const PathHolder &holder, const CounterPlace &sums, Resources live, bool leaves);
// A path begins, and what the activation took up to here is of none.
Snippet restart_meter(Resources live);

// What the meter keeps for each thread, once in a module (chord_abi.h).
std::string meter_text();

}  // namespace chord::isa
