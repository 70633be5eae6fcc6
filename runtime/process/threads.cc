// Threads: each is known from its first woven instruction to after its last.
//
// A program defines pthread_create and thrd_create weakly (visible.s), so that
// libraries (libstdc++, an OpenMP runtime) that start threads come through us
// too. A thread's counters are merged by the destructor of a thread-specific
// key. Destructors of other keys may run woven code after ours, so ours re-arms
// itself and merges in the last round; C++ thread_local destructors run before
// any of them.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>

#include "runtime.h"

extern "C" {
// Only in libc.a: there pthread_create is a weak alias of it.
int __pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) __attribute__((weak));
// Our definition of pthread_create would keep libc.a's out of a static program;
// mq_notify, which is in both libraries, brings it in.
int mq_notify(int, const struct sigevent *);
// Also called by signal handlers, where libc is not to look for it first.
int pthread_setspecific(pthread_key_t, const void *) noexcept __attribute__((noplt));
void *__dlsym_weak(void *, const char *) __asm__("dlsym") __attribute__((weak));
}

// A thread begins here and jumps on: no frame of ours stays below the program's, so
// the thread may outlive the module that started it.
asm(R"(
	.pushsection .text
	.globl __chord_thread_main
	.hidden __chord_thread_main
	.type __chord_thread_main, @function
	.p2align 4
__chord_thread_main:
	.cfi_startproc
	endbr64
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call __chord_begin_thread
	movq %rdx, %rdi
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	jmp *%rax
	.cfi_endproc
	.size __chord_thread_main, . - __chord_thread_main
	.popsection
)");
extern "C" void *__chord_thread_main(void *) __attribute__((visibility("hidden")));

namespace chord::runtime {
namespace {

// The calling thread's record. While it is not listed, its number (0: none yet), shifted, and with the lowest bit set; see ended_bit.
// Where no module has words of its own, nothing is kept.
__attribute__((noinline)) uint64_t *self_word() {
  static uint64_t nothing;
  const Instance *running = instance();
  if (running != nullptr && running->words != 0) return reinterpret_cast<uint64_t *>(thread_pointer() + running->words + words_self);
  nothing = 0;
  return &nothing;
}
uint64_t self() { return *self_word(); }
__attribute__((used)) int (*const keeps_pthread_create)(int, const struct sigevent *) = mq_notify;

// After a thread's end hook: what little still runs in it counts, but is only
// seen if the process ends in this very thread.
constexpr uint64_t unlisted_bit = 1, ended_bit = 2;
constexpr int number_shift = 2;

__attribute__((noinline)) Thread *listed() {
  uint64_t word = self();
  return (word & unlisted_bit) == 0 ? reinterpret_cast<Thread *>(word) : nullptr;
}
bool has_ended() { return (self() & (unlisted_bit | ended_bit)) == (unlisted_bit | ended_bit); }
void leave_list(uint32_t number, uint64_t bits) { *self_word() = uint64_t{number} << number_shift | unlisted_bit | bits; }

// ---- The list -------------------------------------------------------------

Thread *find(Instance &instance, uint32_t id) {
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next)
    if (thread->id == id) return thread;
  return nullptr;
}

Thread *enlist(Instance &instance, uint32_t id) {
  Thread *thread = instance.free_threads;
  if (thread != nullptr)
    instance.free_threads = thread->next_free;
  else if ((thread = static_cast<Thread *>(take_memory(instance, sizeof(Thread)))) == nullptr)
    return nullptr;
  zero_bytes(thread, offsetof(Thread, alternate_stack));  // the rest stays with the record
  thread->pointer = thread_pointer();
  thread->id = id;
  // Known already where we started the thread, or where it was listed before.
  auto number = static_cast<uint32_t>((self() & unlisted_bit) != 0 ? self() >> number_shift : 0);
  thread->number = number != 0 ? number : ++instance.threads_numbered;
  thread->next = instance.threads;
  if (instance.threads != nullptr) instance.threads->previous = thread;
  instance.threads = thread;
  ++instance.threads_seen;
  for (Module *module = instance.modules; module != nullptr; module = module->next)
    give_block(instance, *module, *thread);
  return thread;
}

void delist(Instance &instance, Thread &thread) {
  if (thread.previous != nullptr)
    thread.previous->next = thread.next;
  else
    instance.threads = thread.next;
  if (thread.next != nullptr) thread.next->previous = thread.previous;
  instance.ended_ids[instance.ended_count++ % 256] = thread.id;
  thread.next_free = instance.free_threads;
  instance.free_threads = &thread;
}

// The counters are zero by now: the blocks can serve another thread.
void give_back_blocks(Thread &thread) {
  while (thread.blocks != nullptr) {
    Block *block = thread.blocks;
    thread.blocks = block->next_of_thread;
    block->next_free = block->module->free_blocks;
    block->module->free_blocks = block;
  }
}

// ---- Alternate signal stacks --------------------------------------------------
// A stack overflow can only be reported from another stack.

void take_alternate_stack(Instance &instance, Thread &thread) {
  if (!instance.take_signals) return;
  stack_t now{};
  if (kernel(SYS_sigaltstack, 0, arg(&now)) < 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  if (thread.alternate_stack == nullptr) thread.alternate_stack = __atomic_exchange_n(&instance.first_stack, nullptr, __ATOMIC_RELAXED);
  if (thread.alternate_stack == nullptr)
    thread.alternate_stack = static_cast<char *>(map_pages(alternate_stack_size));
  if (thread.alternate_stack == nullptr) return;
  stack_t ours{};
  ours.ss_sp = thread.alternate_stack;
  ours.ss_size = alternate_stack_size;
  kernel(SYS_sigaltstack, arg(&ours), 0);
}

// The stack goes to the next thread with the record: the kernel must forget it.
void leave_alternate_stack(Thread &thread) {
  stack_t now{};
  if (thread.alternate_stack == nullptr || kernel(SYS_sigaltstack, 0, arg(&now)) < 0) return;
  if (now.ss_sp != thread.alternate_stack) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (kernel(SYS_sigaltstack, arg(&none), 0) < 0) thread.alternate_stack = nullptr;  // in use just now
}

// ---- Starting ------------------------------------------------------------------

struct Start {
  void *(*function)(void *);
  void *argument;
  Start *next_free;
  uint32_t number;
};

using Create = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

Create real_create() {
  static Create found;
  Create create = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (create == nullptr) {
    create = __pthread_create;
    if (create == nullptr && __dlsym_weak != nullptr)
      create = reinterpret_cast<Create>(__dlsym_weak(RTLD_NEXT, "pthread_create"));
    __atomic_store_n(&found, create, __ATOMIC_RELAXED);
  }
  return create;
}

// The number is taken here, where threads are in the order the program starts them in.
Start *take_start(Instance &instance, const Start &what) {
  Guard guard(instance.lock);
  auto *start = static_cast<Start *>(instance.free_starts);
  if (start != nullptr)
    instance.free_starts = start->next_free;
  else if ((start = static_cast<Start *>(take_memory(instance, sizeof(Start)))) == nullptr)
    return nullptr;
  *start = what;
  start->number = ++instance.threads_numbered;
  return start;
}

// Thread-local storage is carved out of a thread's stack: a stack that was just
// big enough for the plain program would not be for the woven one.
const pthread_attr_t *with_room(const Instance &instance, const pthread_attr_t *wanted,
                                pthread_attr_t &copy) {
  size_t extra = extra_stack(instance), size = 0;
  if (wanted == nullptr) {
    if (extra <= 256 * 1024 || pthread_getattr_default_np(&copy) != 0) return wanted;
  } else {
    void *place = nullptr;
    // A stack of the program's own cannot grow. Its size cannot be asked for
    // alone where it was never set.
    if (pthread_attr_getstack(wanted, &place, &size) == 0 && size != 0 &&
        reinterpret_cast<uint64_t>(place) + size > size)
      return wanted;
    // A shallow copy: it is read by pthread_create and never destroyed.
    copy = *wanted;
  }
  if (pthread_attr_getstacksize(&copy, &size) != 0 || pthread_attr_setstacksize(&copy, size + extra) != 0)
    return wanted;
  return &copy;
}

// What __chord_thread_main goes on with.
struct Entry {
  void *(*function)(void *);
  void *argument;
};

int create(pthread_t *thread, const pthread_attr_t *attributes, const Start &what) {
  Create real = real_create();
  if (real == nullptr) return EAGAIN;
  Instance *running = instance();
  Start *start = running != nullptr ? take_start(*running, what) : nullptr;
  if (start == nullptr) return real(thread, attributes, what.function, what.argument);
  __atomic_fetch_add(&running->starting, 1, __ATOMIC_RELAXED);
  pthread_attr_t copy;
  int result = real(thread, with_room(*running, attributes, copy), __chord_thread_main, start);
  // libc installs its own handler when it starts the first thread.
  if (!__atomic_exchange_n(&running->threads_started, true, __ATOMIC_ACQ_REL)) install_stop_signal(*running);
  if (result != 0) {
    __atomic_fetch_sub(&running->starting, 1, __ATOMIC_RELAXED);
    Guard guard(running->lock);
    start->next_free = static_cast<Start *>(running->free_starts);
    running->free_starts = start;
  }
  return result;
}

}  // namespace

extern "C" CHORD_SHARED Entry __chord_begin_thread(Start *start) {
  Entry entry{start->function, start->argument};
  leave_list(start->number, 0);
  if (Instance *running = instance()) {
    {
      Guard guard(running->lock);
      start->next_free = static_cast<Start *>(running->free_starts);
      running->free_starts = start;
    }
    current_thread(*running);
    __atomic_fetch_sub(&running->starting, 1, __ATOMIC_RELAXED);
  }
  return entry;
}

// Calls in woven code come here, and in a program those of other code, too (visible.s).
extern "C" CHORD_SHARED int __chord_wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                        void *(*function)(void *), void *argument) {
  return create(thread, attributes, {function, argument, nullptr, 0});
}

extern "C" CHORD_SHARED int __chord_wrap_thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
  // The result is an int, in the low half of the register that a pointer would fill.
  auto *returns_pointer = reinterpret_cast<void *(*)(void *)>(reinterpret_cast<void *>(function));
  int result = create(thread, nullptr, {returns_pointer, argument, nullptr, 0});
  return result == 0 ? thrd_success : result == ENOMEM || result == EAGAIN ? thrd_nomem : thrd_error;
}

// ---- Knowing the current thread ------------------------------------------------

Thread *current_thread(Instance &instance) {
  if (Thread *known = listed()) return known;
  if (has_ended()) return nullptr;
  uint32_t id = thread_id();
  Thread *thread;
  {
    Guard guard(instance.lock);
    thread = find(instance, id);
    bool fresh = thread == nullptr;
    if (fresh) thread = enlist(instance, id);
    if (thread != nullptr) *self_word() = reinterpret_cast<uint64_t>(thread);
    if (thread == nullptr || !fresh) return thread;
  }
  // A thread that starts while the others are at rest joins them.
  if (instance.writer != id)
    wait_for_release(instance, __atomic_load_n(&instance.stop_number, __ATOMIC_ACQUIRE));
  take_alternate_stack(instance, *thread);
  if (instance.has_key) pthread_setspecific(instance.key, thread);
  tell_modes(instance, &ModeHooks::begin_thread, instance, *thread);
  return thread;
}

void end_thread(Instance &instance, Thread &thread) {
  leave_alternate_stack(thread);
  Guard guard(instance.lock);
  settle_events(instance, thread, true);
  for (Module *module = instance.modules; module != nullptr; module = module->next) {
    add_counts_of_thread(*module, thread, module->merged);
    module->totalled = true;
    zero_thread_counters(*module, thread, false);
  }
  tell_modes(instance, &ModeHooks::end_thread, instance, thread);
  for (Module *module = instance.modules; module != nullptr; module = module->next)
    if (module->live && module->delta_variable != 0)
      *reinterpret_cast<int64_t *>(thread.pointer + module->delta_variable) = 0;
  give_back_blocks(thread);
  delist(instance, thread);
  leave_list(thread.number, ended_bit);
}

Thread *last_thread(Instance &instance) {
  if (has_ended()) *self_word() &= ~ended_bit;
  return current_thread(instance);
}

void on_thread_end(void *data) {
  Instance *running = instance();
  if (running == nullptr) return;
  Thread &thread = *static_cast<Thread *>(data);
  thread.popped = 0;
  if (++thread.end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS && running->has_key &&
      pthread_setspecific(running->key, &thread) == 0)
    return;
  end_thread(*running, thread);
}

bool knows_thread(Instance &instance, uint32_t id) {
  Guard guard(instance.lock);
  for (uint32_t ended : instance.ended_ids)
    if (ended == id) return true;
  return find(instance, id) != nullptr;
}

void forget_other_threads(Instance &instance) {
  Thread *mine = listed();
  for (Thread *thread = instance.threads; thread != nullptr;) {
    Thread *next = thread->next;
    if (thread != mine) {
      for (Module *module = instance.modules; module != nullptr; module = module->next)
        zero_thread_counters(*module, *thread, true);
      give_back_blocks(*thread);
      delist(instance, *thread);
    }
    thread = next;
  }
  if (mine != nullptr) {
    mine->id = thread_id();
    mine->stop_wanted = mine->stop_done = 0;
    mine->number = 1;
  } else {
    leave_list(1, has_ended() ? ended_bit : 0);
  }
  instance.threads_seen = instance.threads_numbered = 1;
  instance.starting = 0;
}

void *real_thread_start() { return reinterpret_cast<void *>(real_create()); }

size_t extra_stack(const Instance &instance) {
  size_t bytes = 0;
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    if (module->live) bytes += module->thread_bytes;
  return (bytes + 8192 + 4095) & ~size_t{4095};
}

// Compilers' libraries ask whether pthread_key_create is linked in before they call any
// of these, all by weak references. In a static program our own use of it must not
// leave them with half of the set: naming a function has it linked in.
asm(R"(
	.irp name, pthread_once, pthread_getspecific, pthread_join, pthread_equal, pthread_self, pthread_detach, pthread_cancel
	.globl \name
	.endr
	.irp name, sched_yield, pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_timedlock, pthread_mutex_unlock, pthread_mutex_init, pthread_mutex_destroy
	.globl \name
	.endr
	.irp name, pthread_cond_init, pthread_cond_broadcast, pthread_cond_signal, pthread_cond_wait, pthread_cond_timedwait, pthread_cond_destroy, pthread_mutexattr_init
	.globl \name
	.endr
	.irp name, pthread_mutexattr_settype, pthread_mutexattr_destroy, pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_unlock
	.globl \name
	.endr
)");

void install_thread_hook(Instance &instance, const ModuleState &state) {
  instance.has_key = pthread_key_create(&instance.key, state.on_thread_end) == 0;
  if (instance.has_key && listed() != nullptr) pthread_setspecific(instance.key, listed());
}

// Threads that end from now on are not noticed; their blocks stay readable.
void remove_thread_hook(Instance &instance) {
  if (instance.has_key) pthread_key_delete(instance.key);
  instance.has_key = false;
  instance.hook_lost = true;
}

}  // namespace chord::runtime
