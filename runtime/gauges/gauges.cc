// Meters of several readings at once: events of the kernel's, misses of models, the clock (weave/metrics/meters.h).
//
// The same accounts as in metrics/meter.cc, where one reading is all there is and speed counts. Here a thread has one reading of each gauge,
// `base`; the activation that runs has taken now - base of each since its last sums were made. The sums of an activation are one word for each gauge, its own
// share; then, outside of contexts, as many for its totals.
//
// A signal handler that interrupts an update finds the thread busy: what it runs then is part of what was interrupted.
#include "chord_models.h"
#include "system/clock.h"
#include "stack/left_entries.h"
#include "probe_costs.h"

// What woven code calls; every register and flag is kept.
//   __chord_meter_enter_all_flags      offset of the activation's sums from the thread pointer, above the return address
//   __chord_meter_enter_at_all_flags   their address
//   __chord_meter_enter_shared_all_flags  their distance from the instruction that passes it, ten bytes before the return address; to be seen by the thread
//   __chord_meter_leave_all_flags      nothing; like all that follow it is called from 128 bytes lower than where the activation stands
//   __chord_meter_tally_flags          number of a path that has ended; how many paths there are; offset of the paths' sums, the list of the first gauge
//   __chord_meter_tally_leave_flags    the same, on the way out
//   __chord_meter_tally_shared_flags, __chord_meter_tally_shared_leave_flags   likewise, with the distance of the paths' sums
//   __chord_meter_tally_record_flags, __chord_meter_tally_record_leave_flags   likewise, with an address in the place of the number, which the offset is from
//   __chord_meter_restart_all_flags    nothing: a path begins that no other has ended before
asm(R"(
	.pushsection .text
	.macro __chord_gauge_routine name, arguments, slow, shared=0
	__chord_routine \name
	pushfq
	.cfi_adjust_cfa_offset 8
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	cld
	movq 96(%rsp), %rdi
	.if \shared
	addq 88(%rsp), %rdi
	subq $10, %rdi
	.endif
	movq 104(%rsp), %rsi
	movq 112(%rsp), %rdx
	leaq 96+\arguments(%rsp), %rcx
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	.cfi_offset rbp, -96
	andq $-16, %rsp
	call \slow
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	.cfi_restore rbp
	popfq
	.cfi_adjust_cfa_offset -8
	ret $\arguments
	__chord_routine_end \name
	.endm

	__chord_gauge_routine __chord_meter_enter_all_flags, 8, __chord_gauge_enter
	__chord_gauge_routine __chord_meter_enter_at_all_flags, 8, __chord_gauge_enter_at
	__chord_gauge_routine __chord_meter_enter_shared_all_flags, 8, __chord_gauge_enter_shared, 1
	__chord_gauge_routine __chord_meter_leave_all_flags, 0, __chord_gauge_leave
	__chord_gauge_routine __chord_meter_tally_flags, 24, __chord_gauge_tally
	__chord_gauge_routine __chord_meter_tally_leave_flags, 24, __chord_gauge_tally_leave
	__chord_gauge_routine __chord_meter_tally_shared_flags, 24, __chord_gauge_tally_shared, 1
	__chord_gauge_routine __chord_meter_tally_shared_leave_flags, 24, __chord_gauge_tally_shared_leave, 1
	__chord_gauge_routine __chord_meter_tally_record_flags, 24, __chord_gauge_tally_record
	__chord_gauge_routine __chord_meter_tally_record_leave_flags, 24, __chord_gauge_tally_record_leave
	__chord_gauge_routine __chord_meter_restart_all_flags, 0, __chord_gauge_restart
	.purgem __chord_gauge_routine
	.popsection
)");

extern "C" {
extern const char __chord_text_gauges, __chord_text_gauges_end;  // made by group_runtime.py
// Of the word that leads to the calling thread's, once this module has asked for them.
extern chord_home __chord_own_gauges_home __attribute__((visibility("hidden")));
// Of the mode `sim`: what has been missed in each model by a thread.
void __chord_model_totals(const chord::runtime::Thread *thread, const chord_models *models, uint64_t *totals) __attribute__((weak, visibility("hidden")));
extern const chord_models __chord_models __attribute__((weak, visibility("hidden")));
}

namespace chord::runtime {
namespace {

struct Entry {
  uint64_t key;   // stack pointer where it was entered
  uint64_t sums;  // the lowest bit says that there are no totals after them; 0: closed
  uint64_t outer[CHORD_MOST_GAUGES];       // what its caller had taken
  uint64_t total_base[CHORD_MOST_GAUGES];  // total minus reading
};
// Of a thread, for all modules that read the same (Thread::mode_state).
struct Gauges {
  Entry *bottom, *top, *end;  // the lowest place is never used
  uint64_t base[CHORD_MOST_GAUGES];
  Events events;
  bool busy;
  chord_gauges what;
  chord_models models;  // if some are read
  Gauges *next;         // of the same thread, which read something else; or of another that has ended
  uint32_t thread;
};

constexpr size_t first_bytes = 64 * 1024;
constexpr uint64_t below_activation = 128;

Gauges *&gauges_word() { return *reinterpret_cast<Gauges **>(__chord_own_gauges_home.base + own_distance(__chord_own_gauges_home)); }
Gauges *own_gauges() { return gauges_word(); }
Gauges *gauges_of(const Thread &thread) { return static_cast<Gauges *>(thread.mode_state[mode_gauges]); }

struct Readings {
  uint64_t of[CHORD_MOST_GAUGES];
};

// Of whose readings: of the calling thread by code of a module that reads these (null), or of any thread, by any module's.
void read_models(const Gauges &gauges, const Thread *thread, Readings &now) {
  uint64_t missed[CHORD_MODELS] = {};
  bool known = __chord_model_totals != nullptr;
  if (known) __chord_model_totals(thread, &gauges.models, missed);
  for (uint32_t k = 0; k < gauges.what.count; ++k) {
    const chord_gauge &gauge = gauges.what.gauge[k];
    if (gauge.kind == CHORD_GAUGE_MODEL) now.of[k] = known && gauge.type < CHORD_MODELS ? missed[gauge.type] : gauges.base[k];
  }
}

Readings read_all(Gauges &gauges, const Thread *thread) {
  Readings now = {};
  read_models(gauges, thread, now);
  for (uint32_t k = 0; k < gauges.what.count; ++k)
    if (gauges.what.gauge[k].kind == CHORD_GAUGE_CLOCK) now.of[k] = read_clock();
  read_events(gauges.events, now.of, thread == nullptr || thread->pointer == thread_pointer());
  return now;
}

uint64_t *sums_of(const Entry &entry) { return reinterpret_cast<uint64_t *>(entry.sums & ~uint64_t{1}); }

void settle_totals(const Gauges &gauges, const Entry &entry, const Readings &now) {
  if ((entry.sums & 1) != 0) return;
  const uint64_t count = gauges.what.count;
  for (uint32_t k = 0; k < count; ++k) sums_of(entry)[count + k] = entry.total_base[k] + now.of[k];
}

bool grow(Gauges &gauges) {
  size_t used = static_cast<size_t>(reinterpret_cast<char *>(gauges.end) - reinterpret_cast<char *>(gauges.bottom));
  size_t bytes = used == 0 ? first_bytes : 2 * used;
  auto *fresh = static_cast<Entry *>(map_pages(bytes));
  if (fresh == nullptr) return false;
  size_t depth = used == 0 ? 1 : static_cast<size_t>(gauges.top - gauges.bottom);
  for (size_t i = 0; used != 0 && i < depth; ++i) fresh[i] = gauges.bottom[i];
  if (used != 0) unmap_pages(gauges.bottom, used);
  gauges.bottom = fresh;
  gauges.end = fresh + bytes / sizeof(Entry);
  gauges.top = fresh + depth;
  return true;
}

void drop(Gauges *gauges) {
  if (gauges->bottom != nullptr) unmap_pages(gauges->bottom, static_cast<size_t>(reinterpret_cast<char *>(gauges->end) - reinterpret_cast<char *>(gauges->bottom)));
  unmap_pages(gauges, sizeof *gauges);
}
EndedStates<Gauges, drop> ended_gauges;

bool reads_models(const chord_gauges &what) {
  for (uint64_t k = 0; k < what.count; ++k)
    if (what.gauge[k].kind == CHORD_GAUGE_MODEL) return true;
  return false;
}

bool reads_as_we_do(const Gauges &gauges) {
  if (!same_gauges(gauges.what, __chord_gauges)) return false;
  return !reads_models(__chord_gauges) || __chord_model_totals == nullptr || same_bytes(&gauges.models, &__chord_models, sizeof gauges.models);
}

Gauges *make_gauges(Instance &instance, Thread &thread) {
  auto *made = static_cast<Gauges *>(map_pages(sizeof(Gauges)));
  if (made == nullptr) return nullptr;
  made->what = __chord_gauges;
  if (reads_models(made->what) && __chord_model_totals != nullptr) made->models = __chord_models;
  open_events(made->events, made->what);
  Guard guard(instance.lock);
  ended_gauges.drop_gone(instance);
  made->next = gauges_of(thread);
  thread.mode_state[mode_gauges] = made;
  return made;
}

// For this module, from now on. What a thread runs after its end is not measured: nobody would close its events.
Gauges *first_gauges(Instance &instance) {
  Thread *thread = current_thread(instance);
  if (thread == nullptr || own_distance(__chord_own_gauges_home) == 0) return nullptr;
  Gauges *gauges = gauges_of(*thread);
  while (gauges != nullptr && !reads_as_we_do(*gauges)) gauges = gauges->next;
  if (gauges == nullptr) gauges = make_gauges(instance, *thread);
  gauges_word() = gauges;
  return gauges;
}

// What runs meanwhile is not measured by itself.
class Busy {
 public:
  explicit Busy(Gauges *gauges) : gauges_(gauges != nullptr && !gauges->busy ? gauges : nullptr) {
    if (gauges_ != nullptr) gauges_->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~Busy() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (gauges_ != nullptr) gauges_->busy = false;
  }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;
  bool succeeded() const { return gauges_ != nullptr; }

 private:
  Gauges *gauges_;
};

// Adds what was taken since the last sums to `into`, `step` words from gauge to gauge.
void take(Gauges &gauges, const Readings &now, uint64_t *into, uint64_t step) {
  for (uint32_t k = 0; k < gauges.what.count; ++k) {
    into[k * step] += now.of[k] - gauges.base[k];
    gauges.base[k] = now.of[k];
  }
}

// The top activation ends, and its own share is in its sums.
void close_top(Gauges &gauges, const Readings &now) {
  Entry &entry = gauges.top[-1];
  settle_totals(gauges, entry, now);
  for (uint32_t k = 0; k < gauges.what.count; ++k) gauges.base[k] = now.of[k] - entry.outer[k];
  --gauges.top;
}

}  // namespace

// Readings take microseconds where the kernel is asked, so not many are tried.
extern "C" CHORD_SHARED void __chord_gauge_calibrate() {
  measure_probes({4, 8, static_cast<uint32_t>(__chord_gauges.count)}, [](uint64_t *into) {
    Readings now = read_all(*own_gauges(), nullptr);
    for (uint32_t k = 0; k < __chord_gauges.count; ++k) into[k] = now.of[k];
  });
}

namespace {

// What it takes to know what probes take is nobody's.
void calibrate(Instance &instance, Gauges &gauges) {
  if (gauges.busy) return;
  Readings before = read_all(gauges, nullptr);
  uint64_t taken[CHORD_MOST_GAUGES] = {};
  for (uint32_t k = 0; k < gauges.what.count; ++k) taken[k] = before.of[k] - gauges.base[k];
  __chord_gauge_calibrate();
  keep_clock(instance);
  Readings now = read_all(gauges, nullptr);
  for (uint32_t k = 0; k < gauges.what.count; ++k) {
    gauges.base[k] = now.of[k] - taken[k];
    for (Entry *caller = gauges.top; gauges.bottom != nullptr && caller-- > gauges.bottom + 1;) caller->total_base[k] -= now.of[k] - before.of[k];
  }
}

// `shared`: what is given is to be seen by the thread.
void enter(uint64_t sums, uint64_t key, bool shared) {
  Instance *running = instance();
  if (running == nullptr) return;
  Gauges *gauges = own_gauges();
  if (gauges == nullptr) {
    gauges = first_gauges(*running);
    if (gauges != nullptr) calibrate(*running, *gauges);
  }
  if (shared) sums += static_cast<uint64_t>(own_delta());
  Busy busy(gauges);
  if (!busy.succeeded()) return;
  if (gauges->top == gauges->end && !grow(*gauges)) {
    running->notes |= note_out_of_memory;
    return;
  }
  Readings now = read_all(*gauges, nullptr);
  bool first = gauges->top == gauges->bottom + 1;
  Entry &entry = *gauges->top;
  entry.key = key;
  entry.sums = sums;
  const uint64_t count = gauges->what.count;
  for (uint32_t k = 0; k < count; ++k) {
    entry.outer[k] = first ? 0 : now.of[k] - gauges->base[k];
    entry.total_base[k] = (sums & 1) != 0 ? 0 : sums_of(entry)[count + k] - now.of[k];
    gauges->base[k] = now.of[k];
  }
  ++gauges->top;
}

// Entries above the activation's were left in a way that nobody noticed. False: it has none.
bool find(Gauges &gauges, uint64_t key, const Readings &now) {
  if (gauges.bottom == nullptr) return false;
  Entry *entry = gauges.top;
  while (entry > gauges.bottom + 1 && entry[-1].key != key) --entry;
  if (entry == gauges.top) return entry > gauges.bottom + 1;
  if (Instance *running = instance()) running->notes |= note_calls_unmeasured;
  if (entry <= gauges.bottom + 1) return false;
  while (gauges.top > entry) {
    take(gauges, now, sums_of(gauges.top[-1]), 1);
    close_top(gauges, now);
  }
  return true;
}

void leave(uint64_t key, uint64_t *path_sums, uint64_t step) {
  Gauges *gauges = own_gauges();
  Busy busy(gauges);
  if (!busy.succeeded()) return;
  Readings now = read_all(*gauges, nullptr);
  if (!find(*gauges, key, now)) return;
  take(*gauges, now, path_sums != nullptr ? path_sums : sums_of(gauges->top[-1]), step);
  close_top(*gauges, now);
}

// `into`: null for what the activation took on no path.
void tally(uint64_t *into, uint64_t step) {
  Gauges *gauges = own_gauges();
  Busy busy(gauges);
  if (busy.succeeded() && gauges->bottom != nullptr && gauges->top > gauges->bottom + 1)
    take(*gauges, read_all(*gauges, nullptr), into != nullptr ? into : sums_of(gauges->top[-1]), step);
}

uint64_t *path_sums(uint64_t number, uint64_t offset) {
  return reinterpret_cast<uint64_t *>(const_cast<char *>(thread_pointer()) + static_cast<int64_t>(offset)) + number;
}

uint64_t *shared_path_sums(uint64_t number, uint64_t sums) { return as_seen(reinterpret_cast<uint64_t *>(sums)) + number; }

}  // namespace

extern "C" CHORD_SHARED void __chord_gauge_enter(uint64_t offset, uint64_t, uint64_t, uint64_t key) {
  enter(reinterpret_cast<uint64_t>(thread_pointer()) + offset, key, false);
}
extern "C" CHORD_SHARED void __chord_gauge_enter_at(uint64_t sums, uint64_t, uint64_t, uint64_t key) { enter(sums | 1, key, false); }
extern "C" CHORD_SHARED void __chord_gauge_enter_shared(uint64_t sums, uint64_t, uint64_t, uint64_t key) { enter(sums, key, true); }
extern "C" CHORD_SHARED void __chord_gauge_leave(uint64_t, uint64_t, uint64_t, uint64_t key) { leave(key + below_activation, nullptr, 1); }
extern "C" CHORD_SHARED void __chord_gauge_tally(uint64_t offset, uint64_t paths, uint64_t number, uint64_t) { tally(path_sums(number, offset), paths); }
extern "C" CHORD_SHARED void __chord_gauge_tally_leave(uint64_t offset, uint64_t paths, uint64_t number, uint64_t key) {
  leave(key + below_activation, path_sums(number, offset), paths);
}
extern "C" CHORD_SHARED void __chord_gauge_tally_shared(uint64_t sums, uint64_t paths, uint64_t number, uint64_t) { tally(shared_path_sums(number, sums), paths); }
extern "C" CHORD_SHARED void __chord_gauge_tally_shared_leave(uint64_t sums, uint64_t paths, uint64_t number, uint64_t key) {
  leave(key + below_activation, shared_path_sums(number, sums), paths);
}
extern "C" CHORD_SHARED void __chord_gauge_tally_record(uint64_t offset, uint64_t paths, uint64_t address, uint64_t) {
  tally(reinterpret_cast<uint64_t *>(address + offset), paths);
}
extern "C" CHORD_SHARED void __chord_gauge_tally_record_leave(uint64_t offset, uint64_t paths, uint64_t address, uint64_t key) {
  leave(key + below_activation, reinterpret_cast<uint64_t *>(address + offset), paths);
}
extern "C" CHORD_SHARED void __chord_gauge_restart(uint64_t, uint64_t, uint64_t, uint64_t) { tally(nullptr, 1); }

namespace {

void leave_frames(Gauges *gauges, const Thread &thread, uint64_t stack_pointer) {
  if (gauges->bottom == nullptr) return;
  gauges->busy = false;  // if it was, a handler has left what was
  Busy busy(gauges);
  Readings now = read_all(*gauges, &thread);
  for (const Entry *first = first_left(gauges->bottom + 1, gauges->top, stack_pointer); gauges->top > first;) {
    take(*gauges, now, sums_of(gauges->top[-1]), 1);
    close_top(*gauges, now);
  }
}

void leave_all_frames(Instance &instance, uint64_t stack_pointer) {
  const Thread *thread = current_thread(instance);
  for (Gauges *gauges = thread == nullptr ? nullptr : gauges_of(*thread); gauges != nullptr; gauges = gauges->next) leave_frames(gauges, *thread, stack_pointer);
}

void settle(Gauges &gauges, const Thread &thread) {
  if (gauges.bottom == nullptr || gauges.busy) return;
  Readings now = read_all(gauges, &thread);
  uint64_t taken[CHORD_MOST_GAUGES];
  for (uint32_t k = 0; k < gauges.what.count; ++k) taken[k] = now.of[k] - gauges.base[k];
  for (Entry *entry = gauges.top; entry-- > gauges.bottom + 1;) {
    settle_totals(gauges, *entry, now);
    for (uint32_t k = 0; k < gauges.what.count; ++k) {
      sums_of(*entry)[k] += taken[k];
      taken[k] = entry->outer[k];
      entry->outer[k] = 0;
    }
  }
  for (uint32_t k = 0; k < gauges.what.count; ++k) gauges.base[k] = now.of[k];
}

// Once for all modules, so that their sums are of one moment.
void settle_all(const Module &module, const Thread &thread) {
  tell_clock(read_clock());
  tell_probe_costs();
  if (!is_first_live(module)) return;
  for (Gauges *gauges = gauges_of(thread); gauges != nullptr; gauges = gauges->next) settle(*gauges, thread);
}

// What activations took before is not counted.
void restart(Gauges &gauges, const Thread &thread) {
  if (gauges.bottom == nullptr) return;
  Readings now = read_all(gauges, &thread);
  const uint64_t count = gauges.what.count;
  for (uint32_t k = 0; k < count; ++k) {
    gauges.base[k] = now.of[k];
    for (Entry *entry = gauges.top; entry-- > gauges.bottom + 1;) {
      entry->outer[k] = 0;
      if ((entry->sums & 1) == 0) entry->total_base[k] = sums_of(*entry)[count + k] - now.of[k];
    }
  }
}

void restart_all(Instance &instance) {
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next)
    for (Gauges *gauges = gauges_of(*thread); gauges != nullptr; gauges = gauges->next) restart(*gauges, *thread);
}

void begin_module(Instance &, Module &) { start_clock(); }

// The parent's descriptors count the parent.
void after_fork(Instance &instance, bool in_child) {
  const Thread *thread = in_child ? instance.threads : nullptr;  // it is alone
  for (Gauges *gauges = thread == nullptr ? nullptr : gauges_of(*thread); gauges != nullptr; gauges = gauges->next) {
    close_events(gauges->events);
    open_events(gauges->events, gauges->what);
  }
}

// Other modules' words still lead there.
void end_gauges(Instance &instance, Thread &thread) {
  auto *gauges = gauges_of(thread);
  thread.mode_state[mode_gauges] = nullptr;
  while (gauges != nullptr) {
    Gauges *next = gauges->next;
    close_events(gauges->events);
    gauges->busy = true;
    ended_gauges.add(gauges, thread);
    gauges = next;
  }
  ended_gauges.drop_gone(instance);
}

}  // namespace

extern "C" CHORD_SHARED constexpr ModeHooks __chord_mode_gauges = {.text = &__chord_text_gauges,
                                                                   .text_end = &__chord_text_gauges_end,
                                                                   .after_fork = after_fork,
                                                                   .begin_module = begin_module,
                                                                   .end_thread = end_gauges,
                                                                   .settle = settle_all,
                                                                   .restart = restart_all,
                                                                   .leave_frames = leave_all_frames};

}  // namespace chord::runtime
