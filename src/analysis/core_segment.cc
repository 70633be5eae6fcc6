// Every thread's frames are walked from its registers, as the runtime would have done
// (runtime/frames.cc): an activation on a stack ended where it stood.
#include "analysis/core_segment.h"

#include <ucontext.h>

#include "analysis/image_segment.h"
#include "analysis/stack_walk.h"
#include "chord_abi.h"

namespace chord::analysis {
namespace {

bool is_unwinder(const std::string &function) {
  for (const char *name :
       {"_Unwind_RaiseException", "_Unwind_ForcedUnwind", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow"})
    if (function == name) return true;
  return false;
}

class FrameRecorder {
 public:
  FrameRecorder(ImageReader &reader, const CoreFile &core) : reader_(reader), walker_(core) {}

  // `popped`: see Thread::popped.
  void record(const RegisterSet &registers, bool interrupted, uint64_t popped) {
    bool unwinding = false;
    bool whole = walker_.walk(registers, interrupted, [&](const StackWalker::Frame &frame) {
      if (popped != 0 && is_unwinder(frame.function)) unwinding = true;
      if (!unwinding || frame.sp > popped)
        reader_.add_exit(frame.pc, frame.interrupted ? CHORD_EXIT_AT_PC : CHORD_EXIT_AT_CALL, 1);
    });
    if (!whole) reader_.add_note(runtime::note_text(runtime::note_stack_lost));
  }

 private:
  ImageReader &reader_;
  StackWalker walker_;
};

void record_thread(FrameRecorder &recorder, ImageReader &reader, const CoreThread &thread) {
  for (const runtime::Thread &known : reader.threads())
    if (known.id == thread.id) {
      if (known.paused == nullptr) recorder.record(thread.registers, true, known.popped);
      return;
    }
  reader.add_unlisted_thread(thread.pointer);
  recorder.record(thread.registers, true, 0);
}

RegisterSet registers_of(const ucontext_t &context) {
  constexpr int from[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                            REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  RegisterSet registers{};
  for (size_t i = 0; i < registers.size(); ++i)
    registers[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[from[i]]);
  return registers;
}

}  // namespace

DeadProfile segment_of_core(const std::string &path) {
  CoreFile core = read_core_file(path);
  ImageReader reader(core.memory, find_instance(core.memory, core.objects));
  FrameRecorder recorder(reader, core);
  for (const CoreThread &thread : core.threads) record_thread(recorder, reader, thread);
  for (const ucontext_t &context : reader.suspended()) recorder.record(registers_of(context), false, 0);
  DeadProfile dead;
  dead.out = reader.instance().out;
  dead.process_start_ns = reader.instance().process_start_ns;
  dead.segment = core.signal != 0 ? reader.finish(CHORD_END_SIGNAL, core.signal, core.time_ns)
                                  : reader.finish(CHORD_END_DUMP, 0, core.time_ns);
  return dead;
}

}  // namespace chord::analysis
