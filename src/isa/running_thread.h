// What one has to know of the machine to follow a thread of another process (ptrace(2)).
#pragma once

#include <cstddef>
#include <cstdint>

namespace chord::isa {

// Places in the thread's user area.
size_t program_counter_place();
size_t stack_pointer_place();

// The word with what stops a thread in place of its lowest byte.
long with_breakpoint(long word);

// Ticks of the processor's clock.
uint64_t read_time_stamp();

}  // namespace chord::isa
