#include <sys/user.h>
#include <x86intrin.h>

#include "isa/running_thread.h"

namespace chord::isa {

size_t program_counter_place() { return offsetof(user_regs_struct, rip); }
size_t stack_pointer_place() { return offsetof(user_regs_struct, rsp); }

long with_breakpoint(long word) { return (word & ~0xffL) | 0xcc; }

uint64_t read_time_stamp() { return __rdtsc(); }

}  // namespace chord::isa
