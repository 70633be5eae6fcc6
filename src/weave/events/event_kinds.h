// Kinds of events, and how many of each an instruction or an edge stands for.
#pragma once

#include <cstdint>

#include "assembly/graph/procedure.h"
#include "format/text/event_names.h"

namespace chord::weave {

// Numbered as in the runtime (CHORD_EVENT_*).
enum class EventKind : uint8_t { instructions, calls, branches, backward, loads, stores, blocks, cost };

inline constexpr auto &kEventKinds = format::kEventNames;

// Events of executing one instruction.
//   instructions  1; one with a rep prefix, too, however often it repeats
//   calls         call instructions
//   branches      conditional and unconditional jumps, taken or not; no calls, no returns
//   backward      call instructions
//   loads, stores instructions that read (write) memory, pushes and calls included
int64_t events_of(EventKind kind, const assembly::Instruction &instruction);

// Events of taking an edge, besides those of the instructions around it.
//   instructions  padding executed on the way
//   calls         1 on leaving by a jump to another procedure
//   backward      the same, and 1 on a jump backwards; an indirect jump always counts, and
//                 one between the parts of a procedure if it leads back into the first.
//                 So no execution goes round a cycle without an event, and program
//                 counter and count together name one moment of a run.
int64_t events_of(EventKind kind, const assembly::Procedure &procedure, const assembly::Edge &edge);

// Events of entering a block of code: 1 for blocks.
int64_t events_of_entering(EventKind kind);

}  // namespace chord::weave
