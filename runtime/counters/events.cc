// Events: one counter per kind and thread, kept by woven code (see events.h of the
// weaver). In each module that counts any each thread has a small array of them (chord_home); a kind that is counted has a record among the module's
// procedures, so that adding up, segments, forks and pauses treat it as they do any
// other counter. A query adds up the modules.
#include "runtime.h"

namespace chord::runtime {

uint64_t events_of_thread(const Instance &instance, uint32_t kind, char *pointer) {
  uint64_t sum = 0;
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    sum += events_at(event_counter(*module, pointer, kind));
  return sum;
}

// ---- By thread --------------------------------------------------------------------
// A module's totals do not say which thread counted what, and a thread's counters go
// with it or with the module. So what a thread has counted is noted whenever one of the
// two is about to go, when it is paused, and when a segment is cut.

void settle_events(Instance &instance, Thread &thread, bool counts) {
  for (uint32_t kind = 0; kind < CHORD_EVENT_KINDS; ++kind) {
    uint64_t now = events_of_thread(instance, kind, thread.pointer);
    chord_thread_events fresh{now - thread.settled[kind], thread.number, kind};
    thread.settled[kind] = now;
    if (counts && fresh.count != 0 && thread.paused == nullptr)
      add_record(instance, instance.settled_since, &fresh, sizeof fresh);
  }
}

void settle_all_events(Instance &instance, bool counts) {
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next)
    settle_events(instance, *thread, counts);
}

void collect_thread_events(Instance &instance, bool counts) {
  settle_all_events(instance, counts);
  if (counts)
    turn_over(instance, instance.settled, instance.settled_since, sizeof(chord_thread_events));
  else
    instance.settled.used = instance.settled_since.used = 0;
}

namespace {

uint64_t events_in_process(Instance &instance, uint32_t kind) {
  Guard guard(instance.lock);
  uint64_t sum = 0;
  for (Module *module = instance.modules; module != nullptr; module = module->next) {
    size_t at = 0;
    for (size_t i = 0; i < module->proc_count; ++i) {
      if (module->shape[i].key == CHORD_EVENT_KEY(kind)) sum += module->merged[at];
      at += module->shape[i].count;
    }
    if (module->events != 0 && !module->events_in_storage) sum += events_at(reinterpret_cast<const uint64_t *>(module->events) + kind);
    for (Thread *thread = instance.threads; module->events != 0 && thread != nullptr; thread = thread->next)
      sum += events_at(event_counter(*module, thread->pointer, kind));
  }
  return sum;
}

}  // namespace

CHORD_API uint64_t __chord_do_events(int kind) {
  Instance *running = instance();
  if (running == nullptr || static_cast<unsigned>(kind) >= CHORD_EVENT_KINDS) return 0;
  // Usually there is no other module, and has not been.
  if (running->modules->next == nullptr) return events_at(event_counter(*running->modules, thread_pointer(), static_cast<uint32_t>(kind)));
  return events_of_thread(*running, static_cast<uint32_t>(kind));
}

CHORD_API uint64_t __chord_do_events_process(int kind) {
  Instance *running = instance();
  if (running == nullptr || static_cast<unsigned>(kind) >= CHORD_EVENT_KINDS) return 0;
  return events_in_process(*running, static_cast<uint32_t>(kind));
}

}  // namespace chord::runtime
