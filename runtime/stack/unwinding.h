// Private declarations of the runtime: stacks, and what is known of the activations on them. See
// runtime.h for the process they belong to, and for who else reads these structures.
#pragma once

#include <ucontext.h>

#include "chord_process.h"
#include "system/sys.h"

namespace chord::runtime {

// ---- Unwinding (unwind.cc, cfi.cc, expressions.cc) -----------------------

// Registers by DWARF number; 16 is the program counter.
struct Registers {
  uint64_t r[17];
  uint64_t pc() const { return r[16]; }
  uint64_t sp() const { return r[7]; }
};
extern "C" void __chord_capture(Registers *) __attribute__((visibility("hidden")));

struct Frame {
  Registers registers;
  // The frame was interrupted (a signal): pc has not been executed. Otherwise pc
  // is a return address.
  bool interrupted = false;
  bool checked = false;  // … by a probe that found a budget used up
  bool safe = false;  // memory may be damaged: check every read
  const ucontext_t *context = nullptr;  // interrupted frames: all that the kernel saved
  // Not 0: a longjmp to this address, which a signal interrupted, has recorded this frame and the others up
  // to the one that contains the address (wraps.cc).
  uint64_t leaving = 0;
  bool lands = false;  // such a longjmp has left all frames but this one
};

// As CHORD_PATH_NOTE, at the end of code that has recorded a longjmp and makes it.
#define CHORD_JUMP_NOTE (CHORD_PATH_IN_FRAME + 1)

// Whether that is code of the runtime in the calling module.
CHORD_SHARED bool is_ours(uint64_t pc) __asm__("__chord_is_ours");

enum class Step { caller, end, lost };
// Replaces the frame by its caller's. `lost`: no unwind information.
CHORD_SHARED Step step(Instance &instance, Frame &frame) __asm__("__chord_step");
CHORD_SHARED Frame frame_of(const ucontext_t &context) __asm__("__chord_frame_of");
// What a walk through a frame depends on, if its rule is an ordinary one and
// still remembered.
constexpr int callee_saved[] = {3, 6, 12, 13, 14, 15};
constexpr int32_t not_saved = INT32_MIN;
struct FrameShape {
  bool by_frame_pointer;  // else by stack pointer
  int32_t saved[6];       // where those registers are, from the caller's stack pointer; or not_saved
  bool keeps_path;        // the frame has a path register
  uint8_t record;         // where its record is: a register, CHORD_PATH_IN_FRAME, or no_record
  static constexpr uint8_t no_record = 255;
};
bool known_shape(Instance &instance, uint64_t place, FrameShape &shape);
// Address of the function around pc, or 0.
uint64_t function_start(Instance &instance, uint64_t pc);
// Copies memory that may not be there.
bool read_safely(const void *from, void *into, size_t size);
// The path register of an activation (CHORD_PATH_NOTE), or 0 if it has none.
uint64_t path_of(Instance &instance, const Frame &frame);
// Of an activation that is removed: the slot that was in force when it began is so again.
void put_back_site(Instance &instance, const Frame &frame);
void forget_unwind_rules(Instance &instance);
// Programs linked without .eh_frame_hdr (static ones): where .eh_frame is.
void find_static_frames(Instance &instance);

// ---- Early exits (exits.cc) ----------------------------------------------

void record_exit(Instance &instance, uint64_t pc, uint32_t kind, uint64_t path, int64_t count);
// The first table, of memory that need not outlive the process. With nobody else there yet.
void begin_exits(Instance &instance);
// Rules that are found are remembered there.
void begin_rules(Instance &instance, void *memory);
// Records every woven frame from here outwards; `count` is +1 when the frames
// end, -1 when a new segment begins with them already running.
void record_frames(Instance &instance, Thread *thread, Frame frame, int64_t count);
// Moves what was recorded in the module's range to instance.resolved_since, with
// link-time addresses. `merge`: add to equal exits that are there already.
void collect_exits(Instance &instance, Module &module, bool merge);
void forget_exits(Instance &instance);
// A longjmp from here to the frame that contains the address `target`. False: nothing was recorded.
bool record_jump(Instance &instance, Thread *thread, const Frame &from, uint64_t target, int64_t count);

// No frame that unwinding has told of counts any more: others may be where they were.
void begin_unwinding(Thread &thread);
// The frame that contains `target` is left by a longjmp, to `goes_on`; those below it are told apart.
void record_left_frame(Instance &instance, Thread &thread, Frame from, uint64_t target, uint64_t goes_on);
// libc keeps the stack pointer of a jmp_buf, and where it returns to, mangled with a per-process secret.
inline uint64_t demangled(long kept) {
  auto value = static_cast<uint64_t>(kept);
  asm("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(value) : : "cc");
  return value;
}
inline long mangled(uint64_t value) {
  asm("xorq %%fs:0x30, %0\n\trolq $17, %0" : "+r"(value) : : "cc");
  return static_cast<long>(value);
}
inline uint64_t stack_pointer_of(const long *registers) { return demangled(registers[6]); }
inline uint64_t return_address_of(const long *registers) { return demangled(registers[7]); }

// ---- longjmps seen before (jumps.cc) ------------------------------------------

// The path that the jump takes, if it is known; whoever makes the jump counts it. Else null.
JumpPath *known_jump(Instance &instance, const Registers &here, uint64_t target);
// Walks the path, keeps and counts it; false, with nothing recorded, if it is no
// path to keep.
bool remember_jump(Instance &instance, const Frame &from, uint64_t target);
// Turns what the paths counted into exits.
void spill_jumps(Instance &instance);
void forget_jumps(Instance &instance);

// ---- Suspended contexts (contexts.cc) -----------------------------------------

// As record_frames, for every context that swapcontext left.
void record_suspended(Instance &instance, int64_t count);

}  // namespace chord::runtime
