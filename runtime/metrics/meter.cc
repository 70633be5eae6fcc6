// Meters: what of a thread's clock each activation took itself, and with all it called (weave/metrics/meters.h).
//
// A thread has one meter, whatever number of modules it runs code of; each of them finds it through a word of the thread's (chord_home), which leads to a
// meter without room until it is asked for. The meter has one reading, `base`: the activation that runs has taken now - base since its last sum was made. An activation that
// is entered keeps, on a stack beside the thread's own, what its caller had taken so far, and gives it back when it
// ends: base = now - that. So callees are excluded, and every tick between the first entry and the last exit is in exactly one sum.
// Activations whose frames are gone (longjmp, exceptions, threads that end) are settled when that is noticed; those that run at a
// cut are settled and go on.
//
// Signal handlers may run between any two instructions. So `base` only changes by additions of one instruction each, and a place is
// taken before it is filled and emptied before it is given back: one without sums is not open yet.
#include "system/clock.h"
#include "stack/left_entries.h"
#include "probe_costs.h"
#include "thread_states.h"

// What woven code calls; every register is kept and, by what is called so with _flags after it, flags.
//   __chord_meter_enter        offset of the activation's sums from the thread pointer, above the return address
//   __chord_meter_enter_at     their address
//   __chord_meter_enter_shared their distance from the instruction that passes it, ten bytes before the return address; to be seen by the thread
//   __chord_meter_leave        nothing; like all that follow it is called from 128 bytes lower than where the activation stands
//   __chord_meter_path         the number of a path that has ended and, above the return address, offset of the paths' sums
//   __chord_meter_path_leave   the same, on the way out
//   __chord_meter_path_shared, __chord_meter_path_shared_leave   likewise, with the distance of the paths' sums
//   __chord_meter_path_record, __chord_meter_path_record_leave   an address and, above the return address, how far the path's sum is from it
//   __chord_meter_restart      nothing: a path begins that no other has ended before
// An entry has four words: stack pointer where it was entered, sums, what its caller had taken, total minus clock.
asm(R"(
	.pushsection .text
	.macro __chord_read_clock
	rdtsc
	shlq $32, %rdx
	orq %rdx, %rax
	movq __chord_meter_home(%rip), %rcx
	movq %fs:(%rcx), %rcx
	addq __chord_meter_home+8(%rip), %rcx
	movq (%rcx), %rcx
	movq Meter.top(%rcx), %rdx
	.endm

	# %rdi: what is so far from ten bytes before the return address, as the thread sees it. Uses %rsi.
	.macro __chord_as_seen flags
	addq 40+8*\flags(%rsp), %rdi
	subq $10, %rdi
	movq __chord_slot(%rip), %rsi
	addq %fs:(%rsi), %rdi
	.endm

	.macro __chord_meter_routine name, flags
	__chord_routine \name
	.if \flags
	pushfq
	.cfi_adjust_cfa_offset 8
	.endif
	__chord_push rax, rcx, rdx, rdi, rsi
	.endm

	.macro __chord_meter_return flags, arguments
	__chord_pop rsi, rdi, rdx, rcx, rax
	.if \flags
	popfq
	.cfi_adjust_cfa_offset -8
	.endif
	ret $\arguments
	.endm

	# On to `slow` with %rdi, %rsi and every other register kept.
	.macro __chord_ask slow, flags
	__chord_push r8, r9, r10, r11, rbp
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	.cfi_offset rbp, -88-8*\flags
	andq $-16, %rsp
	call \slow
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r10, r9, r8
	.cfi_restore rbp
	.endm

	# `place`: 0 an address, 1 an offset from the thread pointer, 2 a distance. All but the first have a total.
	.macro __chord_enter_routine name, place, flags
	__chord_meter_routine \name, \flags
	__chord_read_clock
	movq 48+8*\flags(%rsp), %rdi
	.if \place == 1
	addq %fs:0, %rdi
	.endif
	.if \place == 2
	__chord_as_seen \flags
	.endif
	leaq 56+8*\flags(%rsp), %rsi
	cmpq Meter.end(%rcx), %rdx
	je 1f
	addq $Entry.size, Meter.top(%rcx)
	movq %rsi, Entry.key(%rdx)
	.if \place
	movq Sums.total(%rdi), %rsi
	subq %rax, %rsi
	movq %rsi, Entry.total_base(%rdx)
	.endif
	subq Meter.base(%rcx), %rax
	movq %rax, Entry.outer(%rdx)
	.if \place == 0
	orq $1, %rdi
	.endif
	movq %rdi, Entry.sums(%rdx)
	addq %rax, Meter.base(%rcx)
2:	__chord_meter_return \flags, 8
	.cfi_adjust_cfa_offset 40+8*\flags
1:	movl $\place, %edx
	__chord_ask __chord_meter_enter_slowly, \flags
	jmp 2b
	__chord_routine_end \name
	.endm

	# `sum`: adds what was taken to its sum, and leaves it in %rax; %rdi: the activation's sums; %rdx: behind its entry.
	.macro __chord_leave_routine name, arguments, sum, flags
	__chord_meter_routine \name, \flags
	__chord_read_clock
	leaq 176+\arguments+8*\flags(%rsp), %rsi
	testq %rdx, %rdx
	je 1f
	cmpq %rsi, Entry.key-Entry.size(%rdx)
	jne 1f
	movq Entry.sums-Entry.size(%rdx), %rdi
	testb $1, %dil
	jne 3f
	movq Entry.total_base-Entry.size(%rdx), %rsi
	addq %rax, %rsi
	movq %rsi, Sums.total(%rdi)
3:	andq $-2, %rdi
	movq $0, Entry.sums-Entry.size(%rdx)
	subq Meter.base(%rcx), %rax
	\sum \flags
	subq Entry.outer-Entry.size(%rdx), %rax
	addq %rax, Meter.base(%rcx)
	subq $Entry.size, Meter.top(%rcx)
2:	__chord_meter_return \flags, \arguments
	.cfi_adjust_cfa_offset 40+8*\flags
1:	movq %rsi, %rdi
	__chord_ask __chord_meter_leave_slowly, \flags
	jmp 2b
	__chord_routine_end \name
	.endm

	.macro __chord_add_to_own flags
	addq %rax, (%rdi)
	.endm
	.macro __chord_add_to_path flags
	movq 56+8*\flags(%rsp), %rdi
	movq 48+8*\flags(%rsp), %rsi
	leaq (%rsi,%rdi,8), %rdi
	addq %rax, %fs:(%rdi)
	.endm

	.macro __chord_add_to_shared_path flags
	movq 56+8*\flags(%rsp), %rsi
	movq 48+8*\flags(%rsp), %rdi
	leaq (%rdi,%rsi,8), %rdi
	__chord_as_seen \flags
	addq %rax, (%rdi)
	.endm

	.macro __chord_add_to_record flags
	movq 56+8*\flags(%rsp), %rdi
	addq 48+8*\flags(%rsp), %rdi
	addq %rax, (%rdi)
	.endm

	.macro __chord_path_routine name, sum, flags
	__chord_meter_routine \name, \flags
	__chord_read_clock
	testq %rdx, %rdx
	je 2f
	subq Meter.base(%rcx), %rax
	\sum \flags
	addq %rax, Meter.base(%rcx)
2:	__chord_meter_return \flags, 16
	__chord_routine_end \name
	.endm

	.macro __chord_restart_routine name, flags
	__chord_meter_routine \name, \flags
	__chord_read_clock
	testq %rdx, %rdx
	je 2f
	movq Entry.sums-Entry.size(%rdx), %rdi
	andq $-2, %rdi
	je 2f
	subq Meter.base(%rcx), %rax
	addq %rax, (%rdi)
	addq %rax, Meter.base(%rcx)
2:	__chord_meter_return \flags, 0
	__chord_routine_end \name
	.endm

	__chord_enter_routine __chord_meter_enter, 1, 0
	__chord_enter_routine __chord_meter_enter_flags, 1, 1
	__chord_enter_routine __chord_meter_enter_at, 0, 0
	__chord_enter_routine __chord_meter_enter_shared, 2, 0
	__chord_enter_routine __chord_meter_enter_shared_flags, 2, 1
	__chord_leave_routine __chord_meter_leave, 0, __chord_add_to_own, 0
	__chord_leave_routine __chord_meter_leave_flags, 0, __chord_add_to_own, 1
	__chord_leave_routine __chord_meter_path_leave, 16, __chord_add_to_path, 0
	__chord_leave_routine __chord_meter_path_leave_flags, 16, __chord_add_to_path, 1
	__chord_leave_routine __chord_meter_path_shared_leave, 16, __chord_add_to_shared_path, 0
	__chord_leave_routine __chord_meter_path_shared_leave_flags, 16, __chord_add_to_shared_path, 1
	__chord_leave_routine __chord_meter_path_record_leave, 16, __chord_add_to_record, 0
	__chord_leave_routine __chord_meter_path_record_leave_flags, 16, __chord_add_to_record, 1
	__chord_path_routine __chord_meter_path, __chord_add_to_path, 0
	__chord_path_routine __chord_meter_path_flags, __chord_add_to_path, 1
	__chord_path_routine __chord_meter_path_shared, __chord_add_to_shared_path, 0
	__chord_path_routine __chord_meter_path_shared_flags, __chord_add_to_shared_path, 1
	__chord_path_routine __chord_meter_path_record, __chord_add_to_record, 0
	__chord_path_routine __chord_meter_path_record_flags, __chord_add_to_record, 1
	__chord_restart_routine __chord_meter_restart, 0
	__chord_restart_routine __chord_meter_restart_flags, 1

	.purgem __chord_meter_return
	.purgem __chord_path_routine
	.purgem __chord_restart_routine
	.purgem __chord_read_clock
	.purgem __chord_meter_routine
	.purgem __chord_ask
	.purgem __chord_enter_routine
	.purgem __chord_leave_routine
	.purgem __chord_add_to_own
	.purgem __chord_add_to_path
	.purgem __chord_add_to_shared_path
	.purgem __chord_add_to_record
	.purgem __chord_as_seen
	.popsection
)");

extern "C" {
extern const char __chord_text_metrics, __chord_text_metrics_end;  // made by group_runtime.py
// Without room: whoever enters asks, whoever leaves has nothing to leave.
CHORD_SHARED uint64_t __chord_no_meter[CHORD_METER_WORDS];
extern chord_home __chord_meter_home __attribute__((visibility("hidden")));
}

namespace chord::runtime {
namespace {

// The lowest bit of `sums` says that there is no total after the first.
struct Entry {
  uint64_t key;
  uint64_t sums;
  uint64_t outer;
  uint64_t total_base;
};
// Of a thread: Thread::mode_state.
struct Meter {
  Entry *top, *end;
  uint64_t base;
  Entry *bottom;
  Meter *next;  // of a thread that has ended
  uint32_t thread;
};
static_assert(offsetof(Meter, next) == 8 * CHORD_METER_WORDS);

CHORD_OFFSETS(offsets_of_meters) {
  CHORD_VALUE(Entry, size, sizeof(Entry));
  CHORD_OFFSET(Entry, key);
  CHORD_OFFSET(Entry, sums);
  CHORD_OFFSET(Entry, outer);
  CHORD_OFFSET(Entry, total_base);
  CHORD_OFFSET(Meter, top);
  CHORD_OFFSET(Meter, end);
  CHORD_OFFSET(Meter, base);
  CHORD_VALUE(Sums, total, sizeof(uint64_t));  // after what the activation took itself
}

constexpr size_t first_bytes = 64 * 1024;

Meter *meter_of(const Thread &thread) { return static_cast<Meter *>(thread.mode_state[mode_metrics]); }

// The word that leads to the calling thread's; that of threads without one leads to the meter without room.
uint64_t *&meter_word() { return *reinterpret_cast<uint64_t **>(__chord_meter_home.base + own_distance(__chord_meter_home)); }

// The calling thread's, as far as this module has asked for it; else as the thread is known by.
Meter *own_meter(Instance &instance) {
  if (meter_word() != __chord_no_meter) return reinterpret_cast<Meter *>(meter_word());
  const Thread *thread = current_thread(instance);
  return thread == nullptr ? nullptr : meter_of(*thread);
}

uint64_t *sums_of(const Entry &entry) { return reinterpret_cast<uint64_t *>(entry.sums & ~uint64_t{1}); }

void settle_total(const Entry &entry, uint64_t now) {
  if ((entry.sums & 1) == 0) sums_of(entry)[1] = entry.total_base + now;
}

size_t size_of_stack(const Meter &meter) { return static_cast<size_t>(reinterpret_cast<char *>(meter.end) - reinterpret_cast<char *>(meter.bottom)); }

// Twice as large. The old one is kept: a signal handler below us may be using it.
bool grow(Meter &meter) {
  size_t used = size_of_stack(meter);
  size_t bytes = used == 0 ? first_bytes : 2 * used;
  auto *fresh = static_cast<Entry *>(map_pages(bytes));
  if (fresh == nullptr) return false;
  if (used == 0) fresh[0] = {};  // the lowest place is never used: a look below the top always finds one
  for (size_t i = 0; i < used / sizeof(Entry); ++i) fresh[i] = meter.bottom[i];
  size_t depth = used == 0 ? 1 : static_cast<size_t>(meter.top - meter.bottom);
  meter.bottom = fresh;
  meter.end = fresh + bytes / sizeof(Entry);
  meter.top = fresh + depth;
  return true;
}

void drop(Meter *meter) {
  if (meter->bottom != nullptr) unmap_pages(meter->bottom, size_of_stack(*meter));
  unmap_pages(meter, sizeof *meter);
}

EndedStates<Meter, drop> ended_meters;

Meter *make_meter(Instance &instance, Thread &thread) {
  auto *made = static_cast<Meter *>(map_pages(sizeof(Meter)));
  if (made == nullptr || !grow(*made)) {
    instance.notes |= note_out_of_memory;
    if (made != nullptr) drop(made);
    return nullptr;
  }
  made->base = read_clock();
  Guard guard(instance.lock);
  ended_meters.drop_gone(instance);
  thread.mode_state[mode_metrics] = made;
  return made;
}

// For this module, from now on. A thread that has ended is not measured: nobody would look.
Meter *first_meter(Instance &instance) {
  Thread *thread = current_thread(instance);
  if (thread == nullptr) return nullptr;
  Meter *meter = meter_of(*thread);
  if (meter == nullptr && (meter = make_meter(instance, *thread)) == nullptr) return nullptr;
  if (own_distance(__chord_meter_home) != 0) meter_word() = reinterpret_cast<uint64_t *>(meter);
  return meter;
}

void close_top(Meter &meter, uint64_t now) {
  Entry &entry = meter.top[-1];
  if (entry.sums != 0) {
    settle_total(entry, now);
    uint64_t taken = now - meter.base;
    *sums_of(entry) += taken;
    meter.base += taken - entry.outer;
    entry.sums = 0;
  }
  __atomic_store_n(&meter.top, meter.top - 1, __ATOMIC_RELAXED);
}

}  // namespace

extern "C" CHORD_SHARED void __chord_meter_calibrate(Instance &instance) {
  if (measure_probes({8, 32, 1}, [](uint64_t *into) { *into = read_clock(); })) keep_clock(instance);
}

// The stack is full, or the module has not asked for it yet. `place`: as in __chord_enter_routine.
extern "C" CHORD_SHARED void __chord_meter_enter_slowly(uint64_t sums, uint64_t key, uint64_t place) {
  Instance *running = instance();
  if (running == nullptr) return;
  auto *meter = reinterpret_cast<Meter *>(meter_word());
  bool asks = meter_word() == __chord_no_meter;
  if (asks) {
    int64_t before = own_delta();
    meter = first_meter(*running);
    if (meter == nullptr) return;
    if (place == 2) sums += static_cast<uint64_t>(own_delta() - before);  // the thread may have got counters of its own
  }
  if (meter->top == meter->end && !grow(*meter)) {
    running->notes |= note_out_of_memory;
    return;
  }
  bool outermost = meter->top == meter->bottom + 1;
  uint64_t before = read_clock(), now = before, outer = outermost ? 0 : before - meter->base;
  if (asks) {
    __chord_meter_calibrate(*running);
    now = read_clock();
    for (Entry *caller = meter->top; caller-- > meter->bottom + 1;) caller->total_base -= now - before;  // none of theirs
  }
  Entry &entry = *meter->top++;
  entry = {key, sums | (place != 0 ? 0 : 1), outer, place != 0 ? reinterpret_cast<uint64_t *>(sums)[1] - now : 0};
  meter->base = now;
}

// It is not on top: those above were left in a way that nobody noticed, or it was entered on another stack, or before there was memory.
extern "C" CHORD_SHARED void __chord_meter_leave_slowly(uint64_t key) {
  Instance *running = instance();
  Meter *meter = running == nullptr ? nullptr : own_meter(*running);
  if (meter == nullptr) return;
  Entry *entry = meter->top;
  while (entry > meter->bottom + 1 && entry[-1].key != key) --entry;
  running->notes |= note_calls_unmeasured;
  if (entry <= meter->bottom + 1) return;
  uint64_t now = read_clock();
  while (meter->top >= entry) close_top(*meter, now);
}

namespace {

void leave_frames(Instance &instance, uint64_t stack_pointer) {
  Meter *meter = own_meter(instance);
  if (meter == nullptr) return;
  uint64_t now = read_clock();
  for (const Entry *first = first_left(meter->bottom + 1, meter->top, stack_pointer); meter->top > first;) close_top(*meter, now);
}

// What the activation that runs has taken since, and what those that called it had taken before. Once for all modules, so that
// their sums are of one moment.
void settle(const Module &module, const Thread &thread) {
  uint64_t now = read_clock();
  tell_clock(now);
  tell_probe_costs();
  Meter *meter = meter_of(thread);
  if (meter == nullptr || !is_first_live(module)) return;
  uint64_t taken = now - meter->base;
  for (Entry *entry = meter->top; entry-- > meter->bottom + 1;) {
    if (entry->sums == 0) continue;
    *sums_of(*entry) += taken;
    settle_total(*entry, now);
    taken = entry->outer;
    entry->outer = 0;
  }
  meter->base = now;
}

// The calling thread's activations go on; what they took before is not counted.
void restart(Instance &instance) {
  uint64_t now = read_clock();
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next) {
    Meter *meter = meter_of(*thread);
    if (meter == nullptr) continue;
    meter->base = now;
    for (Entry *entry = meter->top; entry-- > meter->bottom + 1;) {
      entry->outer = 0;
      if (entry->sums != 0 && (entry->sums & 1) == 0) entry->total_base = sums_of(*entry)[1] - now;
    }
  }
}

void begin_module(Instance &, Module &) { start_clock(); }

// Other modules' words still lead to it, and the thread may run code of theirs yet.
void end_meter(Instance &instance, Thread &thread) {
  if (Meter *meter = meter_of(thread)) ended_meters.add(meter, thread);
  thread.mode_state[mode_metrics] = nullptr;
  ended_meters.drop_gone(instance);
}

}  // namespace

extern "C" CHORD_SHARED constexpr ModeHooks __chord_mode_metrics = {.text = &__chord_text_metrics,
                                                                    .text_end = &__chord_text_metrics_end,
                                                                    .begin_module = begin_module,
                                                                    .end_thread = end_meter,
                                                                    .settle = settle,
                                                                    .restart = restart,
                                                                    .leave_frames = leave_frames};

}  // namespace chord::runtime
