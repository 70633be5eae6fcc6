// Shared objects that find no static thread-local storage left.
//
// A module of which libc could place the thread-local words (start.cc) counts through a word of its own: the distance from its
// shared counters to the thread's. libc has room for some twenty such modules that are loaded late. All others share one word, which lies in
// the words of a module that has some, the host. So one distance must lead from the counters of each of these modules
// to the thread's own: a thread has a window, memory that is laid out as all these modules are, with what lies between
// them, which is never touched and takes no memory. Windows are far below everything else that a process maps, and grow in
// place when modules come; one is kept with the record of its thread for the next thread. Of a process that is to survive its end
// (CHORD_DURABLE) what is not between modules is in the file.
#include "runtime.h"

extern "C" const char __chord_text_libraries, __chord_text_libraries_end;  // made by group_runtime.py

namespace chord::runtime {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t distance = uint64_t{1} << 44;  // of the first window from the modules
constexpr uint64_t stride = uint64_t{1} << 34;    // from one window to the next
constexpr int attempts = 64;

struct Range {
  uint64_t low, high;
};

Range pages_of(const Module &module) {
  return {reinterpret_cast<uint64_t>(module.delta_low) & ~(page - 1),
          (reinterpret_cast<uint64_t>(module.delta_high) + page - 1) & ~(page - 1)};
}

// There, and only if nothing is there.
bool map_at(uint64_t low, uint64_t high) {
  auto at = static_cast<long>(low), size = static_cast<long>(high - low);
  long found = kernel(SYS_mmap, at, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (found == at) return true;
  if (found > 0) kernel(SYS_munmap, found, size);  // a kernel that does not know the flag
  return false;
}

// The window reaches at least that far.
bool grow(Thread &thread, const Range &wanted) {
  auto shift = static_cast<uint64_t>(thread.window_delta);
  if (wanted.low < thread.window_low) {
    if (!map_at(wanted.low + shift, thread.window_low + shift)) return false;
    thread.window_low = wanted.low;
  }
  if (wanted.high > thread.window_high) {
    if (!map_at(thread.window_high + shift, wanted.high + shift)) return false;
    thread.window_high = wanted.high;
  }
  return true;
}

bool open_window(Instance &instance, Thread &thread) {
  const Range &all = {instance.window_low, instance.window_high};
  for (int attempt = 0; attempt < attempts; ++attempt) {
    uint64_t shift = 0 - distance - stride * instance.windows++;
    if (all.low + shift > all.low || !map_at(all.low + shift, all.high + shift)) continue;
    thread.window_low = all.low;
    thread.window_high = all.high;
    thread.window_delta = static_cast<int64_t>(shift);
    // Core files leave out what nobody has ever written to, and a reader could not tell that from what was lost.
    *reinterpret_cast<volatile char *>(all.low + shift) = 0;
    return true;
  }
  return false;
}

// Its memory is there to be written to. Ends of threads may have gone unnoticed since a module was unloaded.
bool is_running(const Instance &instance, const Thread &thread) {
  return !instance.hook_lost || kernel(SYS_tgkill, instance.pid, thread.id, 0) == 0;
}

uint64_t &word(const Thread &thread, int64_t offset) { return *reinterpret_cast<uint64_t *>(thread.pointer + offset); }

// The module has no words of its own: it counts through the host's, if every thread that does so already can.
void begin_module(Instance &instance, Module &module) {
  if (module.delta_variable != 0 || module.delta_low == module.delta_high) return;
  Range all = pages_of(module);
  if (instance.window_high != 0) {
    if (instance.window_low < all.low) all.low = instance.window_low;
    if (instance.window_high > all.high) all.high = instance.window_high;
  }
  bool fits = instance.words != 0 && all.high - all.low <= stride;
  for (Thread *thread = instance.threads; thread != nullptr && fits; thread = thread->next)
    fits = thread->window_high == 0 || grow(*thread, all);
  if (!fits) {
    instance.notes |= note_foreign_threads;
    return;
  }
  instance.window_low = all.low;
  instance.window_high = all.high;
  module.windowed = true;
  module.delta_variable = instance.words + words_window;
}

// The words of the host go with it: those of another module take over.
void end_module(Instance &instance, Module &module) {
  if (module.words == 0 || module.words != instance.words) return;
  int64_t next = 0;
  for (const Module *other = instance.modules; other != nullptr; other = other->next)
    if (other->live && other != &module && other->words != 0) next = other->words;
  for (const Thread *thread = instance.threads; thread != nullptr && next != 0; thread = thread->next) {
    if (!is_running(instance, *thread)) continue;
    word(*thread, next + words_window) = word(*thread, module.words + words_window);
    word(*thread, next + words_self) = word(*thread, module.words + words_self);
  }
  instance.words = next;
  for (const ModuleState *state = instance.states; state != nullptr; state = state->next) {
    if (!state->module->windowed) continue;
    state->module->delta_variable = next != 0 ? next + words_window : 0;
    if (next == 0) instance.notes |= note_foreign_threads;
    set_slot(state->slot, state->homes, next != 0 ? next + words_window : word_that_is_zero);
  }
}

char *place(Instance &instance, const Module &module, Thread &thread) {
  if (!is_running(instance, thread)) return nullptr;
  Range all{instance.window_low, instance.window_high};
  if (thread.window_high == 0 || !grow(thread, all)) {
    thread.window_high = 0;
    if (!open_window(instance, thread)) {
      instance.notes |= note_foreign_threads;
      return nullptr;
    }
  }
  Range own = pages_of(module);
  auto shift = static_cast<uint64_t>(thread.window_delta);
  if (instance.live != nullptr) keep_at(instance, reinterpret_cast<char *>(own.low + shift), own.high - own.low);
  auto low = reinterpret_cast<uint64_t>(module.delta_low);
  return reinterpret_cast<char *>(low - (low & 63) + static_cast<uint64_t>(thread.window_delta));
}

}  // namespace

extern "C" CHORD_SHARED constexpr LibrariesHooks __chord_mode_libraries = {
    {.text = &__chord_text_libraries,
     .text_end = &__chord_text_libraries_end,
     .begin_module = begin_module,
     .end_module = end_module},
    redirect_thread_starts, place};

}  // namespace chord::runtime
