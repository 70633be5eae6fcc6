// Every thread's frames are walked from its registers, as the runtime would have done
// (runtime/stack/frames.cc): an activation on a stack ended where it stood.
#include "analysis/processes/core_segment.h"

#include <ucontext.h>

#include "analysis/processes/image_segment.h"
#include "analysis/processes/stack_walk.h"
#include "chord_abi.h"

namespace chord::analysis {
namespace {

bool is_unwinder(const std::string &function) {
  for (const char *name :
       {"_Unwind_RaiseException", "_Unwind_ForcedUnwind", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow"})
    if (function == name) return true;
  return false;
}

RegisterSet registers_of(const ucontext_t &context) {
  constexpr int from[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                            REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  RegisterSet registers{};
  for (size_t i = 0; i < registers.size(); ++i)
    registers[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[from[i]]);
  return registers;
}

class FrameRecorder {
 public:
  FrameRecorder(ImageReader &reader, const CoreFile &core) : reader_(reader), memory_(core.memory), walker_(core) {}

  void record_thread(const CoreThread &thread, uint64_t popped) {
    thread_ = &thread;
    record(thread.registers, true, popped);
  }

  // `popped`: see Thread::popped.
  void record(const RegisterSet &registers, bool interrupted, uint64_t popped) {
    bool unwinding = false;
    bool whole = walker_.walk(registers, interrupted, [&](const StackWalker::Frame &frame) {
      if (popped != 0 && is_unwinder(frame.function)) unwinding = true;
      if (unwinding && frame.sp <= popped) return;
      reader_.add_exit(frame.pc, frame.interrupted ? CHORD_EXIT_AT_PC : CHORD_EXIT_AT_CALL, 1, path_of(frame));
      if (frame.interrupted) record_registers(frame);
    });
    if (!whole) reader_.add_note(runtime::note_text(runtime::note_stack_lost));
  }

 private:
  uint64_t path_of(const StackWalker::Frame &frame) const {
    if (!frame.record_of) return frame.path;
    const uint64_t name = reader_.context_name(frame.record, *frame.record_of);
    return name != 0 ? name : reader_.context_name(frame.record_left, *frame.record_of);
  }

  // A loop there may keep counters in them.
  void record_registers(const StackWalker::Frame &frame) {
    CoreThread saved = *thread_;
    if (frame.context != 0 && !read_context(frame.context, saved)) return;
    for (uint32_t i = 0; i < 16; ++i) add_register(frame.pc, i, saved.registers[i]);
    for (uint32_t i = 0; i < 16; ++i) {
      add_register(frame.pc, CHORD_FIRST_VECTOR + i, saved.vectors[2 * i]);
      add_register(frame.pc, CHORD_FIRST_HIGH_HALF + i, saved.vectors[2 * i + 1]);
    }
  }

  void add_register(uint64_t pc, uint32_t number, uint64_t value) {
    if (value != 0 && number != 7)
      reader_.add_exit(pc, CHORD_EXIT_REGISTER + number, static_cast<int64_t>(value));
  }

  bool read_context(uint64_t address, CoreThread &saved) const {
    ucontext_t context{};
    _libc_fpstate vectors{};
    if (!memory_.read(address, &context, offsetof(ucontext_t, uc_sigmask))) return false;
    saved.registers = registers_of(context);
    saved.vectors = {};
    if (!memory_.read(reinterpret_cast<uint64_t>(context.uc_mcontext.fpregs), &vectors, sizeof vectors)) return true;
    static_assert(sizeof vectors._xmm == sizeof saved.vectors);
    std::memcpy(saved.vectors.data(), vectors._xmm, sizeof vectors._xmm);
    return true;
  }

  ImageReader &reader_;
  const ImageMemory &memory_;
  const CoreThread *thread_ = nullptr;  // whose innermost frame may be interrupted
  StackWalker walker_;
};

void record_thread(FrameRecorder &recorder, ImageReader &reader, const CoreThread &thread) {
  for (const runtime::Thread &known : reader.threads())
    if (known.id == thread.id) {
      if (known.paused == nullptr) recorder.record_thread(thread, known.popped);
      return;
    }
  reader.add_unlisted_thread(thread.pointer);
  recorder.record_thread(thread, 0);
}

}  // namespace

DeadProfile segment_of_core(const std::string &path) {
  CoreFile core = read_core_file(path);
  ImageReader reader(core.memory, find_instance(core.memory, core.objects), false);
  FrameRecorder recorder(reader, core);
  for (const CoreThread &thread : core.threads) record_thread(recorder, reader, thread);
  for (const ucontext_t &context : reader.suspended()) recorder.record(registers_of(context), false, 0);
  DeadProfile dead;
  dead.out = reader.place();
  dead.process_start_ns = reader.instance().process_start_ns;
  dead.segment = core.signal != 0 ? reader.finish(CHORD_END_SIGNAL, core.signal, core.time_ns)
                                  : reader.finish(CHORD_END_DUMP, 0, core.time_ns);
  return dead;
}

}  // namespace chord::analysis
