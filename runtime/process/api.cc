// The functions behind <chord/chord.h>.
#include "runtime.h"

namespace chord::runtime {
namespace {

// Inlined: a walk can only start in a frame that is still there.
__attribute__((always_inline)) inline Frame here() {
  Frame frame;
  __chord_capture(&frame.registers);
  return frame;
}

int cut(Instance &instance, const Frame &from) {
  return write_segment(instance, from, {CHORD_END_DUMP, 0, true, true}) ? 0 : -1;
}

}  // namespace

CHORD_API int __chord_do_dump() {
  Instance *running = instance();
  return running != nullptr ? cut(*running, here()) : -1;
}

CHORD_API void __chord_do_reset() {
  if (Instance *running = instance()) restart_counts(*running, here(), true);
}

CHORD_API int __chord_do_mark(const char *label) {
  Instance *running = instance();
  if (running == nullptr) return -1;
  int result = cut(*running, here());
  Text(running->label, sizeof running->label).add(label != nullptr ? label : "");
  tell_traces(*running, CHORD_TRACE_MARK, nullptr, reinterpret_cast<uint64_t>(running->label));
  return result;
}

CHORD_API void __chord_do_pause() {
  Instance *running = instance();
  Thread *thread = running != nullptr ? current_thread(*running) : nullptr;
  if (thread == nullptr || thread->paused != nullptr) return;
  if (sets_flags(*running)) {
    running->notes |= note_pause_ignored;
    return;
  }
  record_frames(*running, thread, here(), 1);
  Guard guard(running->lock);
  Paused *list = nullptr;
  for (Module *module = running->modules; module != nullptr; module = module->next) {
    auto *paused = static_cast<Paused *>(map_kept(*running, sizeof(Paused) + module->counters * sizeof(uint64_t)));
    if (paused == nullptr) {
      running->notes |= note_out_of_memory;
      continue;
    }
    paused->module = module;
    paused->counters = reinterpret_cast<uint64_t *>(paused + 1);
    add_thread_counters(*module, *thread, paused->counters);
    paused->next = list;
    list = paused;
  }
  settle_events(*running, *thread, true);
  tell_modes(*running, &ModeHooks::pause, *running, *thread);
  thread->paused = list;
}

CHORD_API void __chord_do_resume() {
  Instance *running = instance();
  Thread *thread = running != nullptr ? current_thread(*running) : nullptr;
  if (thread == nullptr || thread->paused == nullptr) return;
  {
    Guard guard(running->lock);
    // What was counted meanwhile is taken back: merged += before - now.
    while (Paused *paused = thread->paused) {
      Module &module = *paused->module;
      for (size_t i = 0; i < module.counters; ++i) paused->counters[i] = 0 - paused->counters[i];
      add_thread_counters(module, *thread, paused->counters);
      for (size_t i = 0; i < module.counters; ++i) module.merged[i] -= paused->counters[i];
      module.totalled = true;
      thread->paused = paused->next;
      unmap_kept(*running, paused, sizeof(Paused) + module.counters * sizeof(uint64_t));
    }
    settle_events(*running, *thread, false);
    tell_modes(*running, &ModeHooks::resume, *running, *thread);
  }
  record_frames(*running, thread, here(), -1);
}

CHORD_API int __chord_do_trace(int what, const char *text) {
  Instance *running = instance();
  const auto *hooks = running != nullptr ? hooks_of<TraceHooks>(*running, mode_trace) : nullptr;
  return hooks != nullptr ? hooks->ask(*running, what, text) : -1;
}

// ---- Budgets ---------------------------------------------------------------------

namespace {

const BudgetHooks *budget_hooks(int kind) {
  const Instance *running = instance();
  return running != nullptr && static_cast<uint32_t>(kind) < CHORD_EVENT_KINDS ? hooks_of<BudgetHooks>(*running, mode_budget) : nullptr;
}

}  // namespace

CHORD_API int __chord_do_budget(int kind, uint64_t events, void (*callback)(int, uint64_t)) {
  const BudgetHooks *hooks = budget_hooks(kind);
  return hooks != nullptr ? hooks->set(static_cast<uint32_t>(kind), events, callback) : -1;
}

CHORD_API int __chord_do_budget_extend(int kind, uint64_t events) {
  const BudgetHooks *hooks = budget_hooks(kind);
  return hooks != nullptr ? hooks->extend(static_cast<uint32_t>(kind), events) : -1;
}

CHORD_API uint64_t __chord_do_budget_left(int kind) {
  const BudgetHooks *hooks = budget_hooks(kind);
  return hooks != nullptr ? hooks->left(static_cast<uint32_t>(kind)) : UINT64_MAX;
}

}  // namespace chord::runtime
