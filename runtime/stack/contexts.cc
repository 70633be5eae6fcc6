// Stacks of their own (ucontext): a context that swapcontext left and nobody came
// back to still has its frames when the process ends.
//
// The set of suspended contexts is an array of their addresses. A cut walks each
// as it walks the other threads' stacks, with every read checked: a program may
// have thrown a suspended context away.
#include <ucontext.h>

#include "runtime.h"

namespace chord::runtime {

namespace {

ContextTable *table_of(Instance &instance, bool make) {
  ContextTable *table = __atomic_load_n(&instance.contexts, __ATOMIC_ACQUIRE);
  if (table != nullptr || !make) return table;
  auto *fresh = static_cast<ContextTable *>(map_pages(sizeof(ContextTable)));
  if (fresh == nullptr) return nullptr;
  if (__atomic_compare_exchange_n(&instance.contexts, &table, fresh, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return fresh;
  unmap_pages(fresh, sizeof(ContextTable));
  return table;
}

// Replaces one entry `from` by `to`, searching from the context's own place on.
bool replace(ContextTable &table, const ucontext_t *context, const ucontext_t *from, const ucontext_t *to) {
  size_t first = reinterpret_cast<uint64_t>(context) >> 6;
  for (size_t i = 0; i < ContextTable::slots; ++i) {
    const ucontext_t **slot = &table.suspended[(first + i) % ContextTable::slots];
    const ucontext_t *found = from;
    if (__atomic_load_n(slot, __ATOMIC_RELAXED) == from &&
        __atomic_compare_exchange_n(slot, &found, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return true;
  }
  return false;
}

bool is_suspended(const ContextTable &table, const ucontext_t *context) {
  size_t first = reinterpret_cast<uint64_t>(context) >> 6;
  for (size_t i = 0; i < ContextTable::slots; ++i)
    if (table.suspended[(first + i) % ContextTable::slots] == context) return true;
  return false;
}

// What runs on the stack that is left counts in, if that is in its contexts.
LeftStack leave_for(Instance &instance, const ucontext_t *entered) {
  const ContextTable *table = table_of(instance, false);
  return leave_stack(instance, *entered, table != nullptr && is_suspended(*table, entered));
}

void suspend(Instance &instance, const ucontext_t *context) {
  ContextTable *table = table_of(instance, true);
  if (table != nullptr && is_suspended(*table, context)) return;
  if (table == nullptr || !replace(*table, context, nullptr, context)) instance.notes |= note_other_stack;
}

void resume(Instance &instance, const ucontext_t *context) {
  ContextTable *table = table_of(instance, false);
  if (table != nullptr) replace(*table, context, context, nullptr);
}

}  // namespace

void record_suspended(Instance &instance, int64_t count) {
  ContextTable *table = table_of(instance, false);
  if (table == nullptr) return;
  for (const ucontext_t *context : table->suspended) {
    ucontext_t copy;
    if (context == nullptr || !read_safely(context, &copy, offsetof(ucontext_t, uc_sigmask))) continue;
    Frame frame = frame_of(copy);
    frame.interrupted = false;
    frame.safe = true;
    record_frames(instance, nullptr, frame, count);
  }
}

extern "C" CHORD_SHARED int __chord_wrap_swapcontext(ucontext_t *left, const ucontext_t *entered) {
  LeftStack own{};
  if (Instance *running = instance()) {
    suspend(*running, left);
    own = leave_for(*running, entered);
    const auto *calls = hooks_of<CallsHooks>(*running, mode_calls);
    if (calls != nullptr && calls->measures(*running)) running->notes |= note_calls_unmeasured;
  }
  int result = swapcontext(left, entered);
  // Whoever came back to it, by whatever means, came back here.
  if (Instance *running = instance()) {
    resume(*running, left);
    enter_stack(*running, own);
    tell_traces(*running, CHORD_TRACE_STACK, nullptr, 1);
  }
  return result;
}

// Nobody comes back here: up to the context's own frame if it is on this stack,
// else every frame of this stack ends.
extern "C" CHORD_SHARED int __chord_wrap_setcontext(const ucontext_t *entered) {
  Instance *running = instance();
  if (running != nullptr && !running->finished) {
    Frame here;
    __chord_capture(&here.registers);
    auto target = static_cast<uint64_t>(entered->uc_mcontext.gregs[REG_RSP]);
    Thread *thread = current_thread(*running);
    ContextTable *table = table_of(*running, false);
    if (table != nullptr && is_suspended(*table, entered))
      record_frames(*running, thread, here, 1);
    else
      record_jump(*running, thread, here, target, 1);
    tell_traces(*running, CHORD_TRACE_JUMPED, nullptr, static_cast<uint64_t>(entered->uc_mcontext.gregs[REG_RIP]));
    leave_for(*running, entered);
  }
  return setcontext(entered);
}

}  // namespace chord::runtime
