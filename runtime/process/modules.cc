// Modules and their counters: where they are, and how they are added up.
#include "runtime.h"

namespace chord::runtime {

void describe_module(Module &module, Instance &instance);

namespace {

// Linkers know thread-pointer offsets in 32 bits only, so that is what counts.
uint64_t *thread_array(const chord_proc &proc, const Thread &thread) {
  return reinterpret_cast<uint64_t *>(thread.pointer + static_cast<int32_t>(proc.counters));
}

// Whether each thread counts in thread-local storage.
bool is_thread_local(const Module &module, const chord_proc &proc) {
  return proc.kind == CHORD_COUNTERS_THREAD || (proc.kind == CHORD_COUNTERS_EVENT && module.events_in_storage);
}

uint64_t *shared_array(const chord_proc &proc) {
  return reinterpret_cast<uint64_t *>(reinterpret_cast<int64_t>(&proc.counters) + proc.counters);
}

// The modules before and after a reload are the same if they count the same things.
bool same_shape(const Module &old, const chord_proc *procs, size_t count) {
  if (old.live || old.proc_count != count) return false;
  for (size_t i = 0; i < count; ++i)
    if (old.shape[i].key != procs[i].key || old.shape[i].count != procs[i].count) return false;
  return true;
}

// Each thread has its own of that.
void include(Module &module, char *low, char *high) {
  if (module.delta_low == nullptr || low < module.delta_low) module.delta_low = low;
  if (high > module.delta_high) module.delta_high = high;
}

void measure(Module &module) {
  module.counters = 0;
  module.thread_bytes = 0;
  module.delta_low = module.delta_high = nullptr;
  for (uint32_t i = 0; i < home_count; ++i)
    if (const chord_home *home = module.homes[i]; home != nullptr && home->size != 0)
      include(module, reinterpret_cast<char *>(home->base), reinterpret_cast<char *>(home->base) + home->size);
  for (size_t i = 0; i < module.proc_count; ++i) {
    const chord_proc &proc = module.procs[i];
    module.counters += proc.count;
    if (is_thread_local(module, proc)) module.thread_bytes += (proc.count + (proc.kind == CHORD_COUNTERS_EVENT)) * sizeof(uint64_t);  // and its bias
    if (proc.kind != CHORD_COUNTERS_DELTA) continue;
    include(module, reinterpret_cast<char *>(shared_array(proc)), reinterpret_cast<char *>(shared_array(proc) + proc.count));
  }
}

// Nothing is written for zeros: pages of the totals that nobody has written to stay untouched.
CHORD_FAST void add_counters(const uint64_t *from, size_t count, uint64_t *into) {
  auto value = [&](size_t i) { return __atomic_load_n(from + i, __ATOMIC_RELAXED); };
  for (size_t i = 0; i < count; ++i) {
    if (uint64_t add = value(i))
      into[i] += add;
    else
      while (i + 4 < count && (value(i + 1) | value(i + 2) | value(i + 3) | value(i + 4)) == 0) i += 4;
  }
}

bool allocate_totals(Instance &instance, Module &module) {
  // In one piece, that of a small program within a page.
  size_t totals = module.counters * sizeof(uint64_t);
  size_t size = 3 * totals + module.proc_count * sizeof(Module::Shape) + 8;
  auto *all = static_cast<char *>(size <= 4096 ? take_memory(instance, size) : map_kept(instance, size));
  module.merged = reinterpret_cast<uint64_t *>(all);
  module.written = module.merged + module.counters;
  module.snapshot = module.written + module.counters;
  module.shape = reinterpret_cast<Module::Shape *>(module.snapshot + module.counters);
  return all != nullptr;
}

Block *block_of(const Module &module, const Thread &thread) {
  for (Block *block = thread.blocks; block != nullptr; block = block->next_of_thread)
    if (block->module == &module) return block;
  return nullptr;
}

// Same place within a cache line as the shared array, so alignment carries over.
int64_t delta_of(const Module &module, const Block &block) {
  return reinterpret_cast<int64_t>(block.pages + (reinterpret_cast<uint64_t>(module.delta_low) & 63)) -
         reinterpret_cast<int64_t>(module.delta_low);
}

// The counters only this thread counts in, or null.
uint64_t *own_array(const Module &module, const chord_proc &proc, const Thread &thread, const Block *block) {
  if (proc.kind == CHORD_COUNTERS_THREAD) return thread_array(proc, thread);
  if (proc.kind == CHORD_COUNTERS_EVENT && module.events_in_storage) return event_counter(module, thread.pointer, static_cast<uint32_t>(proc.counters));
  if (proc.kind == CHORD_COUNTERS_EVENT && block != nullptr) return reinterpret_cast<uint64_t *>(module.events + delta_of(module, *block)) + proc.counters;
  if (proc.kind != CHORD_COUNTERS_DELTA || block == nullptr) return nullptr;
  return reinterpret_cast<uint64_t *>(reinterpret_cast<int64_t>(shared_array(proc)) +
                                      delta_of(module, *block));
}

// What all threads without a block of their own counted, and what counters stand for.
// `back`: the latter goes back, to a module that is loaded again, and nothing else.
void add_shared_counters(const Module &module, uint64_t *totals, bool back) {
  for (size_t i = 0; i < module.proc_count; totals += module.procs[i].count, ++i) {
    const chord_proc &proc = module.procs[i];
    if (is_thread_local(module, proc) || proc.kind == CHORD_COUNTERS_RECORD) continue;
    if (proc.kind == CHORD_COUNTERS_EVENT) {
      if (!back) *totals += events_at(reinterpret_cast<const uint64_t *>(module.events) + proc.counters);
      continue;
    }
    uint64_t *shared = shared_array(proc);
    if (proc.kind == CHORD_COUNTERS_NUMBERS)
      copy_bytes(back ? shared : totals, back ? totals : shared, proc.count * sizeof(uint64_t));
    else if (!back)
      add_counters(shared, proc.count, totals);
  }
}

}  // namespace

void add_module(Instance &instance, ModuleState &state) {
  Guard guard(instance.lock);
  Module *fresh = instance.spare_module;
  if (fresh == nullptr && (fresh = static_cast<Module *>(take_memory(instance, sizeof(Module)))) == nullptr) return;
  instance.spare_module = nullptr;
  describe_module(*fresh, instance);
  Module *module = instance.modules;
  while (module != nullptr && !same_shape(*module, fresh->procs, fresh->proc_count)) module = module->next;
  if (module != nullptr) {
    // Loaded again, perhaps elsewhere: totals go on, places are new.
    zero_bytes(fresh, sizeof *fresh);
    instance.spare_module = fresh;
    describe_module(*module, instance);
    module->finished = false;
  } else {
    module = fresh;
  }
  measure(*module);
  if (instance.live != nullptr && module->thread_bytes != 0) instance.notes |= note_not_durable;
  if (module != fresh) add_shared_counters(*module, module->merged, true);
  module->live = true;
  state.module = module;
  if (module == fresh) {
    if (!allocate_totals(instance, *module)) {
      instance.notes |= note_out_of_memory;
      module->proc_count = module->counters = 0;
    }
    for (size_t i = 0; i < module->proc_count; ++i)
      module->shape[i] = {module->procs[i].key, module->procs[i].count, module->procs[i].kind};
    module->number = instance.module_count++;
    module->next = instance.modules;
    instance.modules = module;
  }
  tell_modes(instance, &ModeHooks::begin_module, instance, *module);
  // Threads that run already count for themselves from now on: nothing of this
  // module has run in them yet.
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next) {
    if (!instance.hook_lost || module->windowed) give_block(instance, *module, *thread);
    if (!instance.hook_lost) tell_modes(instance, &ModeHooks::begin_module_in, instance, *module, *thread);
  }
  if (module->delta_variable != 0) set_slot(&__chord_slot, __chord_module.homes, module->delta_variable);
}

namespace {

// As they are in a thread that has not run the module's code.
void begin_homes(const Module &module, int64_t delta) {
  for (uint32_t i = 0; i < home_count; ++i) {
    const chord_home *home = module.homes[i];
    if (home == nullptr || home->size == 0) continue;
    auto *own = reinterpret_cast<char *>(home->base + delta);
    if (home->initial != nullptr)
      copy_bytes(own, home->initial, home->size);
    else
      zero_bytes(own, home->size);
  }
}

}  // namespace

void give_block(Instance &instance, Module &module, Thread &thread) {
  if (!module.live || module.delta_variable == 0 || module.delta_low == module.delta_high || block_of(module, thread) != nullptr) return;
  char *window = nullptr;
  if (module.windowed && (window = hooks_of<LibrariesHooks>(instance, mode_libraries)->place(instance, module, thread)) == nullptr) return;
  size_t size = static_cast<size_t>(module.delta_high - module.delta_low);
  Block *block = module.free_blocks;
  if (block != nullptr) {
    module.free_blocks = block->next_free;
  } else {
    block = static_cast<Block *>(take_memory(instance, sizeof(Block)));
    if (block == nullptr) return;
    block->pages_size = size + 64;
    block->pages = window != nullptr ? window : static_cast<char *>(map_kept(instance, block->pages_size));
    if (block->pages == nullptr) return;
  }
  if (window != nullptr) block->pages = window;
  block->module = &module;
  block->next_of_thread = thread.blocks;
  thread.blocks = block;
  begin_homes(module, delta_of(module, *block));
  __atomic_store_n(reinterpret_cast<int64_t *>(thread.pointer + module.delta_variable),
                   delta_of(module, *block), __ATOMIC_RELEASE);
}

void add_thread_counters(const Module &module, const Thread &thread, uint64_t *into) {
  if (!module.live) return;
  if (const Instance *running = instance()) tell_modes(*running, &ModeHooks::settle, module, thread);
  const Block *block = block_of(module, thread);
  for (size_t i = 0; i < module.proc_count; into += module.procs[i].count, ++i)
    if (const uint64_t *counters = own_array(module, module.procs[i], thread, block)) {
      if (module.procs[i].kind == CHORD_COUNTERS_EVENT)
        *into += events_at(counters);
      else
        add_counters(counters, module.procs[i].count, into);
    }
}

// Counter by counter: the range of a module's arrays may hold much else, whose
// pages in a thread's block were never touched.
void zero_thread_counters(const Module &module, const Thread &thread, bool blocks_only) {
  if (!module.live) return;
  const Block *block = block_of(module, thread);
  for (size_t i = 0; i < module.proc_count; ++i) {
    const chord_proc &proc = module.procs[i];
    if (blocks_only && is_thread_local(module, proc)) continue;
    uint64_t *counters = own_array(module, proc, thread, block);
    for (uint32_t k = 0; counters != nullptr && k < proc.count; ++k)
      if (counters[k] != 0) counters[k] = 0;
    if (proc.kind == CHORD_COUNTERS_EVENT && counters != nullptr) counters[CHORD_EVENT_KINDS] = counters[CHORD_EVENT_BIAS] = 0;
  }
}

void add_counts_of_thread(const Module &module, const Thread &thread, uint64_t *into) {
  for (const Paused *paused = thread.paused; paused != nullptr; paused = paused->next)
    if (paused->module == &module) return add_counters(paused->counters, module.counters, into);
  add_thread_counters(module, thread, into);
}

namespace {

void add_live_counters(Instance &instance, Module &module, uint64_t *into) {
  if (!module.live) return;
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next)
    add_counts_of_thread(module, *thread, into);
  // Last: a number is there before anything is counted for it.
  add_shared_counters(module, into, false);
  tell_modes(instance, &ModeHooks::add_counters, instance, module, into);
}

}  // namespace

bool sets_flags(const Instance &instance) {
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    for (size_t i = 0; i < module->proc_count; ++i)
      if (module->shape[i].kind == CHORD_COUNTERS_FLAGS) return true;
  return false;
}

namespace {

// Flags tell nothing more once they are set: they are cleared, to tell of the next segment. None is lost that is set meanwhile.
void collect_flags(Module &module) {
  if (!module.live) return;
  uint64_t *totals = module.merged;
  for (size_t i = 0; i < module.proc_count; totals += module.procs[i].count, ++i) {
    const chord_proc &proc = module.procs[i];
    if (proc.kind != CHORD_COUNTERS_FLAGS) continue;
    uint64_t *flags = shared_array(proc);
    for (uint32_t k = 0; k < proc.count; ++k)
      if (__atomic_load_n(flags + k, __ATOMIC_RELAXED) != 0) {
        totals[k] += __atomic_exchange_n(flags + k, 0, __ATOMIC_RELAXED);
        module.totalled = true;
      }
  }
}

}  // namespace

void take_snapshot(Instance &instance, Module &module) {
  collect_flags(module);
  if (module.totalled) copy_words(module.snapshot, module.merged, module.counters);
  module.totalled = true;
  add_live_counters(instance, module, module.snapshot);
}

namespace {

void drop_block(Instance &instance, const Block &block) {
  if (!block.module->windowed) unmap_kept(instance, block.pages, block.pages_size);
}

}  // namespace

void retire_module(Instance &instance, Module &module) {
  forget_jumps(instance);
  Guard guard(instance.lock);
  collect_exits(instance, module, true);
  tell_modes(instance, &ModeHooks::end_module, instance, module);
  settle_all_events(instance, true);
  // Not by way of the snapshot, which another thread may be writing.
  add_live_counters(instance, module, module.merged);
  module.totalled = true;
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next) {
    // Another module may come to lie where this one was.
    if (module.windowed) zero_thread_counters(module, *thread, true);
    for (Block **link = &thread->blocks; *link != nullptr;)
      if ((*link)->module == &module) {
        Block *block = *link;
        *link = block->next_of_thread;
        drop_block(instance, *block);
      } else {
        link = &(*link)->next_of_thread;
      }
  }
  for (Block *block = module.free_blocks; block != nullptr; block = block->next_free) drop_block(instance, *block);
  module.free_blocks = nullptr;
  module.windowed = false;
  module.live = false;
  module.events = 0;
  module.homes = nullptr;
  module.procs = nullptr;
  settle_all_events(instance, false);
}

bool in_woven_module(const Instance &instance, uint64_t pc) {
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    if (module->live &&
        pc - reinterpret_cast<uint64_t>(module->low) < static_cast<uint64_t>(module->high - module->low))
      return true;
  return false;
}

void add_record(Instance &instance, Records &records, const void *record, size_t size) {
  if (records.used + size > records.capacity) {
    constexpr size_t few = 512, many = 32 * 1024;
    size_t capacity = records.capacity == 0 ? few : records.capacity == few ? many : records.capacity * 2;
    auto *data = static_cast<char *>(capacity == few ? take_memory(instance, few) : map_kept(instance, capacity));
    if (data == nullptr) {
      instance.notes |= note_out_of_memory;
      return;
    }
    if (records.data != nullptr) {
      copy_bytes(data, records.data, records.used);
      if (records.capacity != few) unmap_kept(instance, records.data, records.capacity);
    }
    records.data = data;
    records.capacity = capacity;
  }
  copy_bytes(records.data + records.used, record, size);
  records.used += size;
}

void turn_over(Instance &instance, Records &writing, Records &since, size_t size) {
  for (size_t at = 0; at < writing.used; at += size) add_record(instance, since, writing.data + at, size);
  writing.used = 0;
  Records now = since;
  since = writing;
  writing = now;
}

void *take_memory(Instance &instance, size_t size) {
  constexpr size_t chunk = 64 * 1024;
  size = (size + 63) & ~size_t{63};
  if (instance.pool_left < size) {
    const size_t taken = size > chunk ? size : chunk;
    auto *pages = static_cast<char *>(map_kept(instance, taken));
    if (pages == nullptr) {
      instance.notes |= note_out_of_memory;
      return nullptr;
    }
    instance.pool = pages;
    instance.pool_left = taken;
  }
  instance.pool_left -= size;
  void *result = instance.pool;
  instance.pool += size;
  return result;
}

}  // namespace chord::runtime
