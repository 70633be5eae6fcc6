// Meters of several readings at once: events of the kernel's, misses of models, the clock (weave/metrics/meters.h).
//
// The same accounts as in metrics/meter.cc, where one reading is all there is and speed counts. Here a thread has one reading of each gauge,
// `base`; the activation that runs has taken now - base of each since its last sums were made. The sums of an activation are one word for each gauge, its own
// share; then, outside of contexts, as many for its totals.
//
// A signal handler that interrupts an update finds the thread busy: what it runs then is part of what was interrupted.
#include "chord_models.h"
#include "clock.h"
#include "left_entries.h"
#include "probe_costs.h"

// What woven code calls; every register and flag is kept.
//   __chord_meter_enter_all_flags      offset of the activation's sums from the thread pointer, above the return address
//   __chord_meter_enter_at_all_flags   their address
//   __chord_meter_leave_all_flags      nothing; like all that follow it is called from 128 bytes lower than where the activation stands
//   __chord_meter_tally_flags          number of a path that has ended; how many paths there are; offset of the paths' sums, the list of the first gauge
//   __chord_meter_tally_leave_flags    the same, on the way out
//   __chord_meter_tally_record_flags, __chord_meter_tally_record_leave_flags   likewise, with an address in the place of the number, which the offset is from
//   __chord_meter_restart_all_flags    nothing: a path begins that no other has ended before
asm(R"(
	.pushsection .text
	.macro __chord_gauge_routine name, arguments, slow
	__chord_routine \name
	pushfq
	.cfi_adjust_cfa_offset 8
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	cld
	movq 96(%rsp), %rdi
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
	__chord_gauge_routine __chord_meter_leave_all_flags, 0, __chord_gauge_leave
	__chord_gauge_routine __chord_meter_tally_flags, 24, __chord_gauge_tally
	__chord_gauge_routine __chord_meter_tally_leave_flags, 24, __chord_gauge_tally_leave
	__chord_gauge_routine __chord_meter_tally_record_flags, 24, __chord_gauge_tally_record
	__chord_gauge_routine __chord_meter_tally_record_leave_flags, 24, __chord_gauge_tally_record_leave
	__chord_gauge_routine __chord_meter_restart_all_flags, 0, __chord_gauge_restart
	.purgem __chord_gauge_routine
	.popsection
)");

extern "C" const char __chord_text_gauges, __chord_text_gauges_end;  // made by group_runtime.py
// Defined by woven code.
extern "C" int64_t __chord_meter_place() __attribute__((visibility("hidden")));
// Of the mode `sim`: what has been missed in each model by a thread.
extern "C" void __chord_model_totals(const chord::runtime::Thread *thread, uint64_t *totals) __attribute__((weak, visibility("hidden")));

namespace chord::runtime {
namespace {

constexpr uint32_t models = CHORD_MODELS;

struct Entry {
  uint64_t key;   // stack pointer where it was entered
  uint64_t sums;  // the lowest bit says that there are no totals after them; 0: closed
  uint64_t outer[CHORD_MOST_GAUGES];       // what its caller had taken
  uint64_t total_base[CHORD_MOST_GAUGES];  // total minus reading
};
struct Gauges {
  Entry *bottom, *top, *end;  // the lowest place is never used
  uint64_t base[CHORD_MOST_GAUGES];
  Events events;
  bool busy;
};

constexpr size_t first_bytes = 64 * 1024;
constexpr uint64_t below_activation = 128;

// The words that woven code keeps for a thread.
struct Words {
  Gauges *gauges;
  uint64_t ended;  // what it still runs is not measured: nobody would close its events
};
Words &words_of(const char *pointer) { return *reinterpret_cast<Words *>(const_cast<char *>(pointer) + __chord_meter_place()); }
Gauges *&gauges_of(const char *pointer) { return words_of(pointer).gauges; }

struct Readings {
  uint64_t of[CHORD_MOST_GAUGES];
};

// `thread`: null for the calling one.
Readings read_all(Gauges &gauges, const Thread *thread) {
  Readings now;
  uint64_t missed[models] = {};
  if (__chord_model_totals != nullptr) __chord_model_totals(thread, missed);
  for (uint32_t k = 0; k < __chord_gauges.count; ++k) {
    const chord_gauge &gauge = __chord_gauges.gauge[k];
    now.of[k] = gauge.kind == CHORD_GAUGE_CLOCK ? read_clock() : gauge.kind == CHORD_GAUGE_MODEL && gauge.type < models ? missed[gauge.type] : 0;
  }
  read_events(gauges.events, now.of, thread == nullptr);
  return now;
}

uint64_t *sums_of(const Entry &entry) { return reinterpret_cast<uint64_t *>(entry.sums & ~uint64_t{1}); }

void settle_totals(const Entry &entry, const Readings &now) {
  if ((entry.sums & 1) != 0) return;
  for (uint32_t k = 0; k < __chord_gauges.count; ++k) sums_of(entry)[__chord_gauges.count + k] = entry.total_base[k] + now.of[k];
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

Gauges *first_gauges() {
  if (words_of(thread_pointer()).ended != 0) return nullptr;
  auto *made = static_cast<Gauges *>(map_pages(sizeof(Gauges)));
  if (made == nullptr) return nullptr;
  open_events(made->events);
  gauges_of(thread_pointer()) = made;
  return made;
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
  for (uint32_t k = 0; k < __chord_gauges.count; ++k) {
    into[k * step] += now.of[k] - gauges.base[k];
    gauges.base[k] = now.of[k];
  }
}

// The top activation ends, and its own share is in its sums.
void close_top(Gauges &gauges, const Readings &now) {
  Entry &entry = gauges.top[-1];
  settle_totals(entry, now);
  for (uint32_t k = 0; k < __chord_gauges.count; ++k) gauges.base[k] = now.of[k] - entry.outer[k];
  --gauges.top;
}

}  // namespace

// Readings take microseconds where the kernel is asked, so not many are tried.
extern "C" CHORD_SHARED void __chord_gauge_calibrate() {
  measure_probes({4, 8, static_cast<uint32_t>(__chord_gauges.count)}, [](uint64_t *into) {
    Readings now = read_all(*gauges_of(thread_pointer()), nullptr);
    for (uint32_t k = 0; k < __chord_gauges.count; ++k) into[k] = now.of[k];
  });
}

namespace {

void enter(uint64_t sums, uint64_t key) {
  Instance *running = instance();
  if (running == nullptr) return;
  Gauges *gauges = gauges_of(thread_pointer());
  if (gauges == nullptr) {
    gauges = first_gauges();
    if (gauges != nullptr) __chord_gauge_calibrate();
  }
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
  for (uint32_t k = 0; k < __chord_gauges.count; ++k) {
    entry.outer[k] = first ? 0 : now.of[k] - gauges->base[k];
    entry.total_base[k] = (sums & 1) != 0 ? 0 : sums_of(entry)[__chord_gauges.count + k] - now.of[k];
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
  Gauges *gauges = gauges_of(thread_pointer());
  Busy busy(gauges);
  if (!busy.succeeded()) return;
  Readings now = read_all(*gauges, nullptr);
  if (!find(*gauges, key, now)) return;
  take(*gauges, now, path_sums != nullptr ? path_sums : sums_of(gauges->top[-1]), step);
  close_top(*gauges, now);
}

// `into`: null for what the activation took on no path.
void tally(uint64_t *into, uint64_t step) {
  Gauges *gauges = gauges_of(thread_pointer());
  Busy busy(gauges);
  if (busy.succeeded() && gauges->bottom != nullptr && gauges->top > gauges->bottom + 1)
    take(*gauges, read_all(*gauges, nullptr), into != nullptr ? into : sums_of(gauges->top[-1]), step);
}

uint64_t *path_sums(uint64_t number, uint64_t offset) {
  return reinterpret_cast<uint64_t *>(const_cast<char *>(thread_pointer()) + static_cast<int64_t>(offset)) + number;
}

}  // namespace

extern "C" CHORD_SHARED void __chord_gauge_enter(uint64_t offset, uint64_t, uint64_t, uint64_t key) {
  enter(reinterpret_cast<uint64_t>(thread_pointer()) + offset, key);
}
extern "C" CHORD_SHARED void __chord_gauge_enter_at(uint64_t sums, uint64_t, uint64_t, uint64_t key) { enter(sums | 1, key); }
extern "C" CHORD_SHARED void __chord_gauge_leave(uint64_t, uint64_t, uint64_t, uint64_t key) { leave(key + below_activation, nullptr, 1); }
extern "C" CHORD_SHARED void __chord_gauge_tally(uint64_t offset, uint64_t paths, uint64_t number, uint64_t) { tally(path_sums(number, offset), paths); }
extern "C" CHORD_SHARED void __chord_gauge_tally_leave(uint64_t offset, uint64_t paths, uint64_t number, uint64_t key) {
  leave(key + below_activation, path_sums(number, offset), paths);
}
extern "C" CHORD_SHARED void __chord_gauge_tally_record(uint64_t offset, uint64_t paths, uint64_t address, uint64_t) {
  tally(reinterpret_cast<uint64_t *>(address + offset), paths);
}
extern "C" CHORD_SHARED void __chord_gauge_tally_record_leave(uint64_t offset, uint64_t paths, uint64_t address, uint64_t key) {
  leave(key + below_activation, reinterpret_cast<uint64_t *>(address + offset), paths);
}
extern "C" CHORD_SHARED void __chord_gauge_restart(uint64_t, uint64_t, uint64_t, uint64_t) { tally(nullptr, 1); }

namespace {

void leave_frames(Instance &, uint64_t stack_pointer) {
  Gauges *gauges = gauges_of(thread_pointer());
  if (gauges == nullptr || gauges->bottom == nullptr) return;
  gauges->busy = false;  // if it was, a handler has left what was
  Busy busy(gauges);
  Readings now = read_all(*gauges, nullptr);
  for (const Entry *first = first_left(gauges->bottom + 1, gauges->top, stack_pointer); gauges->top > first;) {
    take(*gauges, now, sums_of(gauges->top[-1]), 1);
    close_top(*gauges, now);
  }
}

void settle(const Module &, const Thread &thread) {
  tell_clock(read_clock());
  tell_probe_costs();
  Gauges *gauges = gauges_of(thread.pointer);
  if (gauges == nullptr || gauges->bottom == nullptr || gauges->busy) return;
  Readings now = read_all(*gauges, thread.pointer == thread_pointer() ? nullptr : &thread);
  uint64_t taken[CHORD_MOST_GAUGES];
  for (uint32_t k = 0; k < __chord_gauges.count; ++k) taken[k] = now.of[k] - gauges->base[k];
  for (Entry *entry = gauges->top; entry-- > gauges->bottom + 1;) {
    settle_totals(*entry, now);
    for (uint32_t k = 0; k < __chord_gauges.count; ++k) {
      sums_of(*entry)[k] += taken[k];
      taken[k] = entry->outer[k];
      entry->outer[k] = 0;
    }
  }
  for (uint32_t k = 0; k < __chord_gauges.count; ++k) gauges->base[k] = now.of[k];
}

void restart(Instance &instance) {
  start_clock();
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next) {
    Gauges *gauges = gauges_of(thread->pointer);
    if (gauges == nullptr || gauges->bottom == nullptr) continue;
    Readings now = read_all(*gauges, thread->pointer == thread_pointer() ? nullptr : thread);
    for (uint32_t k = 0; k < __chord_gauges.count; ++k) gauges->base[k] = now.of[k];
    for (Entry *entry = gauges->top; entry-- > gauges->bottom + 1;) {
      for (uint32_t k = 0; k < __chord_gauges.count; ++k) {
        entry->outer[k] = 0;
        entry->total_base[k] = 0 - now.of[k];
      }
    }
  }
}

void begin(Instance &, char **) { start_clock(); }

// The parent's descriptors count the parent.
void after_fork(Instance &, bool in_child) {
  Gauges *gauges = gauges_of(thread_pointer());
  if (!in_child || gauges == nullptr) return;
  close_events(gauges->events);
  open_events(gauges->events);
}

void give_up_gauges(Instance &, Thread &thread) {
  words_of(thread.pointer).ended = 1;
  Gauges *&gauges = gauges_of(thread.pointer);
  if (gauges == nullptr) return;
  close_events(gauges->events);
  if (gauges->bottom != nullptr) unmap_pages(gauges->bottom, static_cast<size_t>(reinterpret_cast<char *>(gauges->end) - reinterpret_cast<char *>(gauges->bottom)));
  unmap_pages(gauges, sizeof *gauges);
  gauges = nullptr;
}

}  // namespace

extern "C" CHORD_SHARED constexpr ModeHooks __chord_mode_gauges = {.text = &__chord_text_gauges,
                                                                   .text_end = &__chord_text_gauges_end,
                                                                   .begin = begin,
                                                                   .after_fork = after_fork,
                                                                   .end_thread = give_up_gauges,
                                                                   .settle = settle,
                                                                   .restart = restart,
                                                                   .leave_frames = leave_frames};

}  // namespace chord::runtime
