// Cutting a segment: what was counted since the last cut, as of one moment.
//
// Every segment obeys the flow law on its own, so that readers may add them up or
// look at one alone: frames that run on across a cut are recorded as ending in
// the old segment (+1) and, at the same place, as running already in the new one
// (-1). In the sum the two cancel.
#include <sched.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

constexpr Mask all_but_stop = ~mask_of(CHORD_SIGNAL);

// One writer at a time. While waiting, this thread can be stopped by the other.
bool become_writer(Instance &instance) {
  uint32_t me = thread_id();
  for (;;) {
    uint32_t nobody = 0;
    if (__atomic_compare_exchange_n(&instance.writer, &nobody, me, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return true;
    if (nobody == me) return false;  // interrupted while writing
    sleep_ns(1000000);
    if (instance.finished) return false;
  }
}

void leave_writer(Instance &instance) { __atomic_store_n(&instance.writer, 0, __ATOMIC_RELEASE); }

void begin_anew(Instance &instance) {
  Guard guard(instance.lock);
  for (Module *module = instance.modules; module != nullptr; module = module->next) {
    take_snapshot(instance, *module);
    copy_words(module->written, module->snapshot, module->counters);
  }
  collect_thread_events(instance, false);
  forget_exits(instance);
  tell_modes(instance, &ModeHooks::restart, instance);
}

void total_up(Instance &instance, bool goes_on) {
  spill_jumps(instance);
  Guard guard(instance.lock);
  for (Module *module = instance.modules; module != nullptr; module = module->next) {
    take_snapshot(instance, *module);
    collect_exits(instance, *module, false);
  }
  turn_over(instance, instance.resolved, instance.resolved_since, sizeof(chord_exit));
  collect_thread_events(instance, true);
  tell_modes(instance, &ModeHooks::collect, instance, goes_on);
}

// `last`: no other segment will follow, nor will anyone read one from what is left in memory.
void mark_written(Instance &instance, bool last) {
  Guard guard(instance.lock);
  for (Module *module = last ? nullptr : instance.modules; module != nullptr; module = module->next)
    copy_words(module->written, module->snapshot, module->counters);
  instance.resolved.used = 0;
  instance.settled.used = 0;
  forget_mode_records(instance);
  instance.notes = 0;
  instance.unstopped = 0;
  instance.start_ns = wall_clock_ns();
}

// Tasks of the process that no list of ours has.
uint32_t unknown_tasks(Instance &instance) {
  // The kernel refuses this to a process with more threads than the calling one; for others it does nothing. Looking
  // into /proc takes forty times as long.
  if (kernel(SYS_unshare, CLONE_THREAD) == 0) return 0;
  auto name = reinterpret_cast<long>("/proc/self/task");
  // A process with one thread has one folder there. (To ask may have been forbidden.)
  struct stat about;
  if (kernel(SYS_stat, name, arg(&about)) == 0 && about.st_nlink == 3) return 0;
  long folder = kernel(SYS_open, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  uint32_t unknown = 0;
  char buffer[512];
  for (long size; (size = kernel(SYS_getdents64, folder, arg(buffer), sizeof buffer)) > 0;)
    for (long at = 0; at < size; at += load<uint16_t>(buffer + at + 16)) {
      uint32_t id = 0;
      for (const char *digit = buffer + at + 19; *digit >= '0' && *digit <= '9'; ++digit)
        id = id * 10 + static_cast<uint32_t>(*digit - '0');
      if (id != 0 && !knows_thread(instance, id)) ++unknown;
    }
  kernel(SYS_close, folder);
  return unknown;
}

// More than are just starting, or dying, at two looks.
bool has_foreign_tasks(Instance &instance) {
  for (int looks = 0; looks < 2; ++looks) {
    uint32_t starting = __atomic_load_n(&instance.starting, __ATOMIC_RELAXED);
    if (unknown_tasks(instance) <= starting + instance.helpers) return false;
    sleep_ns(500000);
  }
  return true;
}

void note_unknown_tasks(Instance &instance) {
  if (!has_foreign_tasks(instance)) return;
  for (Module *module = instance.modules; module != nullptr; module = module->next) {
    if (!module->live) continue;
    if (module->thread_bytes != 0) instance.notes |= note_unseen_threads;
    if (module->delta_low != module->delta_high) instance.notes |= note_foreign_threads;
  }
}

}  // namespace

bool write_segment(Instance &instance, const Frame &from, const End &end) {
  // A child of vfork borrows its parent's memory: what it counts is the parent's.
  if (instance.finished || instance.pid != process_id()) return false;
  Mask mask = set_mask(all_but_stop);
  bool written = false;
  if (become_writer(instance)) {
    Thread *self = end.goes_on ? current_thread(instance) : last_thread(instance);
    if (end.threads_live) {
      instance.unstopped += stop_others(instance, self, end.goes_on);
      note_unknown_tasks(instance);
    }
    tell_traces(instance, !end.goes_on || end.kind == CHORD_END_EXEC ? CHORD_TRACE_STANDS : CHORD_TRACE_SIGNAL, &from, 0);
    record_frames(instance, self, from, 1);
    record_suspended(instance, 1);
    total_up(instance, end.goes_on);
    if (end.threads_live) release_others(instance);
    written = append_segment(instance, end);
    if (end.kind == CHORD_END_DUMP) instance.dumped = true;
    if (written) mark_written(instance, !end.goes_on && instance.live == nullptr);
    if (written && (!end.goes_on || end.kind == CHORD_END_EXEC)) end_durable(instance);
    if (end.goes_on) {
      record_frames(instance, self, from, -1);
      record_suspended(instance, -1);
      leave_writer(instance);
    } else {
      // Signals that were held back come next, and other threads may have waited to write: both
      // too late. So this is known before the mask is set back, and nobody can write any more.
      instance.finished = true;
    }
  }
  set_mask(mask);
  return written;
}

void restart_counts(Instance &instance, const Frame &from, bool others) {
  Mask mask = set_mask(all_but_stop);
  if (become_writer(instance)) {
    Thread *self = current_thread(instance);
    if (others) instance.unstopped += stop_others(instance, self, true);
    begin_anew(instance);
    if (others) release_others(instance);
    record_frames(instance, self, from, -1);
    record_suspended(instance, -1);
    leave_writer(instance);
  }
  set_mask(mask);
}

}  // namespace chord::runtime
