// Start and end of a module, and how the copies of the runtime in one process
// find each other.
//
// Each copy carries an allocated ELF note named "chord" whose descriptor leads to
// its ModuleState. A starting copy looks at the notes of all loaded objects: if
// one of them has an Instance of the same version, it joins it, else it makes
// one. The dynamic linker runs initialisers under its own lock, so two copies
// never start at once. No symbol is exported, so RTLD_LOCAL and -Bsymbolic
// change nothing.
#include <link.h>
#include <sys/auxv.h>

#include "runtime.h"

asm(R"(
	.pushsection .note.chord,"a",@note
	.p2align 2
	.long 6, 4, 1
	.asciz "chord"
	.p2align 2
	.long __chord_module - .
	.popsection
)");

extern "C" {
extern const chord_proc __start_chord_procs[] __attribute__((weak, visibility("hidden")));
extern const chord_proc __stop_chord_procs[] __attribute__((weak, visibility("hidden")));
// Where, relative to the thread pointer, woven code of shared objects finds what it adds to the address of a
// counter: the thread's block minus the module's shared array. See CHORD_COUNTERS_DELTA.
CHORD_SHARED int64_t __chord_slot = chord::runtime::word_that_is_zero;
extern void *__dso_handle __attribute__((visibility("hidden")));
// In programs whose pthread_create is ours (visible.s).
extern const char __chord_program __attribute__((weak, visibility("hidden")));
extern const char __chord_checked __attribute__((weak, visibility("hidden")));
extern const char __chord_no_rules __attribute__((weak, visibility("hidden")));
extern const char __chord_place[] __attribute__((weak, visibility("hidden")));
#define CHORD_MODE(name) extern const chord::runtime::ModeHooks __chord_mode_##name __attribute__((weak, visibility("hidden")));
CHORD_MODES(CHORD_MODE)
#undef CHORD_MODE
#define CHORD_HOME(name) \
  extern chord_home __chord_##name##_home __attribute__((weak, visibility("hidden"))); \
  int64_t __chord_##name##_offset() __attribute__((weak, visibility("hidden")));
CHORD_HOMES(CHORD_HOME)
#undef CHORD_HOME
int __register_atfork(void (*)(), void (*)(), void (*)(), void *);
void exit(int) __attribute__((noreturn));
}

// The module's thread-local words. Only a descriptor refers to them, so that loading the module does not fail where libc has
// no static thread-local storage left. The descriptor is not called but read: linkers of programs have put the words' offset
// in its place, and libc has put the offset in it, if it is the same in every thread.
asm(R"(
	.pushsection .tbss,"awT",@nobits
	.p2align 3
.Lwords:
	.zero 24
	.popsection
	.pushsection .text
	.globl __chord_words
	.hidden __chord_words
	.type __chord_words, @function
__chord_words:
	.cfi_startproc
	leaq .Lwords@tlsdesc(%rip), %rax
	testq %rax, %rax
	js 1f
	movq 8(%rax), %rax
1:	ret
	.cfi_endproc
	.size __chord_words, . - __chord_words
	.popsection
)");
extern "C" int64_t __chord_words() __attribute__((visibility("hidden")));
static_assert(chord::runtime::words_size == 24);

namespace chord::runtime {

extern "C" {
CHORD_SHARED ModuleState __chord_module = {
    layout_version, 0,       nullptr,       nullptr,
    on_fatal,       on_stop, on_thread_end, reinterpret_cast<void *>(__chord_wrap_pthread_create),
    __chord_signal_return, nullptr, __chord_place, &__chord_slot,
#define CHORD_MODE(name) &__chord_mode_##name,
    {CHORD_MODES(CHORD_MODE)},
#undef CHORD_MODE
#define CHORD_HOME(name) &__chord_##name##_home,
    {CHORD_HOMES(CHORD_HOME)},
#undef CHORD_HOME
};
}

const char *variable(char **environment, const char *name) {
  size_t n = length(name);
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (same_bytes(*environment, name, n) && (*environment)[n] == '=') return *environment + n + 1;
  return nullptr;
}

namespace {

// ---- The loaded objects -------------------------------------------------

struct Search {
  Instance *running = nullptr;
  // Whether the object this copy is part of is the executable.
  bool is_program = false;
  // The executable has a copy, too, although it may not have started yet:
  // libraries start first.
  bool program_woven = false;
  const char *own_name = "";
  uint64_t own_bias = 0;
  const char *own_place = nullptr, *program_place = nullptr;  // null: none was given
  Module *fill = nullptr;
};

// One object of the process.
struct Seen {
  bool own, program;
  uint64_t bias;
};

void read_notes(const char *notes, size_t size, size_t alignment, Search &search, const Seen &seen) {
  auto round = [&](size_t n) { return (n + alignment - 1) & ~(alignment - 1); };
  for (size_t at = 0; at + 12 <= size;) {
    uint32_t name_size = load<uint32_t>(notes + at), size_of = load<uint32_t>(notes + at + 4),
             type = load<uint32_t>(notes + at + 8);
    size_t name = at + 12, content = name + round(name_size);
    if (content + size_of > size) return;
    if (name_size == 6 && type == 1 && same_bytes(notes + name, "chord", 6)) {
      auto *state = reinterpret_cast<const ModuleState *>(notes + content + load<int32_t>(notes + content));
      if (state->version == layout_version) {
        const char *place = reinterpret_cast<uint64_t>(state->place) == seen.bias ? nullptr : state->place;
        if (seen.own) search.own_place = place;
        if (seen.program) search.program_woven = true, search.program_place = place;
        if (!seen.own && state->instance != nullptr) search.running = state->instance;
      }
    }
    if (seen.own && search.fill != nullptr && name_size == 4 && type == 3 && same_bytes(notes + name, "GNU", 4) &&
        size_of <= sizeof search.fill->build_id) {
      copy_bytes(search.fill->build_id, notes + content, size_of);
      search.fill->build_id_size = size_of;
    }
    at = content + round(size_of);
  }
}

bool contains(const dl_phdr_info &object, const void *address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    uint64_t offset = reinterpret_cast<uint64_t>(address) - object.dlpi_addr - part.p_vaddr;
    if (part.p_type == PT_LOAD && offset < part.p_memsz) return true;
  }
  return false;
}

void fill_module(Module &module, const dl_phdr_info &object) {
  uint64_t low = ~uint64_t{0}, high = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    if (part.p_vaddr < low) low = part.p_vaddr;
    if (part.p_vaddr + part.p_memsz > high) high = part.p_vaddr + part.p_memsz;
  }
  module.bias = object.dlpi_addr;
  module.low = reinterpret_cast<char *>(object.dlpi_addr + low);
  module.high = reinterpret_cast<char *>(object.dlpi_addr + high);
}

// Absolute: a reader is somewhere else. A module that is loaded again has its name already, and another thread may be
// writing it to a segment.
void name_module(Module &module, const char *name) {
  char folder[512], whole[sizeof module.path];
  Text path(whole, sizeof whole);
  if (name[0] != '/' && kernel(SYS_getcwd, arg(folder), sizeof folder) > 0) path.add(folder).add('/');
  path.add(name[0] == '.' && name[1] == '/' ? name + 2 : name);
  if (!same_bytes(whole, module.path, path.size() + 1)) Text(module.path, sizeof module.path).add(whole);
}

int visit_object(dl_phdr_info *object, size_t, void *data) {
  Search &search = *static_cast<Search *>(data);
  bool own = contains(*object, &__chord_module);
  bool named = object->dlpi_name != nullptr && object->dlpi_name[0] != 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      read_notes(reinterpret_cast<const char *>(object->dlpi_addr + part.p_vaddr), part.p_memsz,
                 part.p_align == 8 ? 8 : 4, search, {own, !named, object->dlpi_addr});
  }
  if (own) {
    search.is_program = !named;
    search.own_name = object->dlpi_name;
    search.own_bias = object->dlpi_addr;
    if (search.fill != nullptr) {
      fill_module(*search.fill, *object);
      if (named) name_module(*search.fill, object->dlpi_name);
    }
  }
  return 0;
}

// ---- Making the instance -----------------------------------------------------

bool is_set(const char *value) { return value != nullptr && value[0] == '1' && value[1] == 0; }

void read_settings(Instance &instance, char **environment, const Search &search) {
  // A program with more rights than its caller takes no orders from it.
  bool trusted = getauxval(AT_SECURE) == 0;
  instance.secure = !trusted;
  if (instance.secure) {
    instance.caller_user = static_cast<uint32_t>(kernel(SYS_getuid));
    instance.caller_group = static_cast<uint32_t>(kernel(SYS_getgid));
  }
  choose_place(instance, trusted ? variable(environment, "CHORD_OUT") : nullptr,
               search.program_woven ? search.program_place : search.own_place,
               search.program_woven ? instance.executable : search.own_name);
  const char *signals = variable(environment, "CHORD_SIGNALS");
  instance.take_signals = !(signals != nullptr && signals[0] == '0' && signals[1] == 0);
  instance.durable = trusted && is_set(variable(environment, "CHORD_DURABLE"));
  instance.quiet = is_set(variable(environment, "CHORD_QUIET"));
  const char *maps = variable(environment, "CHORD_KEEP_MAPS");
  instance.keeps_maps = trusted && !(maps != nullptr && maps[0] == '0' && maps[1] == 0);
  const char *runs = variable(environment, "CHORD_KEEP_RUNS");
  instance.keep_runs = is_set(runs);
  instance.keep_arguments = same_text(runs, "arguments");
}

void read_arguments(Instance &instance, int count, char **arguments) {
  uint32_t used = 0;
  instance.arguments_at = instance.out_at + static_cast<uint32_t>(length(instance.out())) + 1;
  for (int i = 0; i < count && arguments[i] != nullptr; ++i) {
    size_t n = length(arguments[i]) + 1;
    if (used + n > most_arguments) break;
    copy_bytes(instance.arguments() + used, arguments[i], n);
    used += static_cast<uint32_t>(n);
  }
  instance.arguments_size = used;
  instance.path_at = instance.arguments_at + used;
}

// Every copy registers fork hooks (they go when it is unloaded); the owner's act.
Instance *owned_instance() {
  Instance *running = instance();
  return running != nullptr && running->owner == &__chord_module ? running : nullptr;
}

// Fork: the lock is held across it, so that the child gets consistent lists.
void before_fork() {
  if (Instance *i = owned_instance()) {
    Mask mask = set_mask(~Mask{0});
    i->lock.acquire();
    i->fork_mask = mask;
    copy_durable(*i);
    tell_modes(*i, &ModeHooks::before_fork, *i);
  }
}

void after_fork_in_parent() {
  if (Instance *i = owned_instance()) {
    drop_copy();
    tell_modes(*i, &ModeHooks::after_fork, *i, false);
    Mask mask = i->fork_mask;
    i->lock.release();
    set_mask(mask);
  }
}

void after_fork_in_child() {
  Instance *i = owned_instance();
  if (i == nullptr) return;
  become_private();
  Mask mask = i->fork_mask;
  i->pid = process_id();
  i->process_start_ns = i->start_ns = wall_clock_ns();
  // Another thread was writing: not here.
  if (i->file > 0) kernel(SYS_close, i->file);
  i->file = 0;
  i->writer = 0;
  i->finished = false;
  i->notes = 0;
  i->stop_number = i->released = 0;
  resume_durable(*i);
  forget_other_threads(*i);
  tell_modes(*i, &ModeHooks::after_fork, *i, true);
  i->lock.release();
  Frame here;
  __chord_capture(&here.registers);
  restart_counts(*i, here, false);
  set_mask(mask);
}

// `called`: what the program was told it is called, or null.
void name_executable(Instance &instance, const char *called) {
  long size = kernel(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"), arg(instance.executable), sizeof instance.executable - 1);
  instance.executable[size < 0 ? 0 : size] = 0;
  if (size <= 0 && called != nullptr) Text(instance.executable, sizeof instance.executable).add(called);
}

Instance *make_instance(int argument_count, char **arguments, char **environment, const Search &search) {
  auto *made = static_cast<Instance *>(map_pages(start_size));
  if (made == nullptr) return nullptr;
  made->version = layout_version;
  made->pid = process_id();
  made->process_start_ns = made->start_ns = wall_clock_ns();
  if (kernel(SYS_getcwd, arg(made->folder()), most_folder - 1) < 0) made->folder()[0] = 0;
  made->out_at = static_cast<uint32_t>(length(made->folder())) + 1;
  name_executable(*made, argument_count > 0 ? arguments[0] : nullptr);
  remember_stderr(*made);
  read_settings(*made, environment, search);
  read_arguments(*made, argument_count, arguments);
  find_static_frames(*made);
  if (made->durable) return make_durable(made);
  // What a small program needs lies close together.
  auto *start = reinterpret_cast<char *>(made);
  made->pool = start + start_pool;
  made->pool_left = start_stack - start_pool;
  made->first_stack = start + start_stack;
  begin_rules(*made, start + start_rules);
  begin_exits(*made);
  return made;
}

// Nobody in the process can obey it (yet).
void warn_of_unknown_budgets(const Instance &instance, const char *setting) {
  if (setting == nullptr || setting[0] == 0 || instance.modes[mode_budget] != nullptr) return;
  char buffer[256];
  Text message(buffer, sizeof buffer);
  message.add("chord: warning: CHORD_BUDGET='").add(setting);
  say(instance, message.add("' is not obeyed: the program was not built with `chord --budget --events=KIND`\n"));
}

// Signal handlers, the thread key and fork hooks are one module's code.
void install_hooks(Instance &instance, ModuleState &state) {
  instance.owner = &state;
  install_thread_hook(instance, state);
  if (instance.take_signals) take_fatal_signals(instance, state);
  install_stop_signal(instance);
}

bool exit_is_on_stack(Instance &instance) {
  Frame frame;
  __chord_capture(&frame.registers);
  // exit() is short: a return address close after its start is in it.
  uint64_t start = reinterpret_cast<uint64_t>(&exit);
  do {
    uint64_t pc = frame.registers.pc();
    if (pc > start && pc <= start + 64) return true;
  } while (step(instance, frame) == Step::caller);
  return false;
}

void drop_state(Instance &instance, ModuleState &state) {
  Guard guard(instance.lock);
  for (ModuleState **link = &instance.states; *link != nullptr; link = &(*link)->next)
    if (*link == &state) {
      *link = state.next;
      break;
    }
  --instance.live_modules;
}

// Not needed where the program's pthread_create is ours.
void redirect_thread_starts(const Instance &instance, void *from, void *to) {
  const auto *libraries = hooks_of<LibrariesHooks>(instance, mode_libraries);
  if (!instance.program_woven && libraries != nullptr) libraries->redirect_thread_starts(from, to);
}

// Unloading while the process lives on: nothing may keep pointing here.
void leave_process(Instance &instance, ModuleState &state) {
  retire_module(instance, *state.module);
  forget_unwind_rules(instance);
  leave_modes(instance, state);
  if (instance.owner != &state) return;
  leave_fatal_signals(instance);
  remove_thread_hook(instance);
  redirect_thread_starts(instance, state.start_thread, real_thread_start());
  instance.owner = nullptr;
  if (instance.states == nullptr) return;
  install_hooks(instance, *instance.states);
  redirect_thread_starts(instance, nullptr, instance.owner->start_thread);
}

__attribute__((constructor(1))) void start(int argument_count, char **arguments, char **environment) {
  ModuleState &state = __chord_module;
  if (&__start_chord_procs[0] == &__stop_chord_procs[0] || state.instance != nullptr) return;
  Search search;
  dl_iterate_phdr(visit_object, &search);
  Instance *joined = search.running;
  if (joined == nullptr) joined = make_instance(argument_count, arguments, environment, search);
  if (joined == nullptr) return;
  state.next = joined->states;
  joined->states = &state;
  ++joined->live_modules;
  name_own_modes(state, search.own_bias);
  join_modes(*joined, state, joined->secure ? nullptr : environment);
  add_module(*joined, state);
  __atomic_store_n(&state.instance, joined, __ATOMIC_RELEASE);
  __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child, &__dso_handle);
  if (search.running == nullptr) install_hooks(*joined, state);
  if (search.is_program) joined->program_woven = is_defined(*state.module, &__chord_program);
  else if (search.running == nullptr) joined->program_woven = search.program_woven;
  if (search.is_program) tell_modes(*joined, &ModeHooks::begin_program, *joined);
  if (search.is_program && !joined->secure) warn_of_unknown_budgets(*joined, variable(environment, "CHORD_BUDGET"));
  if (search.is_program) install_quick_exit_hook(*joined, &__dso_handle);
  redirect_thread_starts(*joined, nullptr, joined->owner->start_thread);
  current_thread(*joined);
}

__attribute__((destructor(1))) void finish() {
  ModuleState &state = __chord_module;
  Instance *running = instance();
  if (running == nullptr || running->finished) return;
  Search search;
  dl_iterate_phdr(visit_object, &search);
  if (search.is_program || running->exiting || exit_is_on_stack(*running)) running->exiting = true;
  state.module->finished = true;
  tell_traces(*running, CHORD_TRACE_STANDS, nullptr, 0);  // while it is listed
  drop_state(*running, state);
  if (running->live_modules == 0) {
    Frame here;
    __chord_capture(&here.registers);
    write_segment(*running, here, {CHORD_END_EXIT, 0, false, running->exiting});
  }
  if (!running->exiting) {
    leave_process(*running, state);
    __atomic_store_n(&state.instance, nullptr, __ATOMIC_RELEASE);
  }
}

}  // namespace

// ---- Shared with modules.cc ----------------------------------------------------

namespace {

// Those the module has: in thread-local storage where executables have what they are of.
void find_homes(Module &module) {
  using Offset = int64_t (*)();
#define CHORD_HOME(name) __chord_##name##_offset,
  constexpr Offset offsets[] = {CHORD_HOMES(CHORD_HOME)};
#undef CHORD_HOME
  for (uint32_t i = 0; i < home_count; ++i) {
    chord_home *&home = __chord_module.homes[i];
    if (!is_defined(module, home)) home = nullptr;
    if (home != nullptr && is_defined(module, reinterpret_cast<void *>(offsets[i]))) *home = {0, offsets[i](), 0, nullptr};
  }
  module.homes = __chord_module.homes;
  const chord_home *events = module.homes[home_events];
  module.events = events != nullptr ? events->base : 0;
  module.events_in_storage = events != nullptr && events->size == 0;
}

}  // namespace

// Everything about this copy's module: where it lies, who it is, what it counts.
void describe_module(Module &module, Instance &instance) {
  Search search;
  search.fill = &module;
  dl_iterate_phdr(visit_object, &search);
  if (search.is_program) Text(module.path, sizeof module.path).add(instance.executable);
  module.procs = __start_chord_procs;
  module.proc_count = static_cast<size_t>(__stop_chord_procs - __start_chord_procs);
  int64_t words = __chord_words();
  // A descriptor that libc fills in for each thread has an address there.
  module.delta_variable = module.words = words < 0 ? words : 0;
  if (instance.words == 0) instance.words = module.words;
  find_homes(module);
  module.checks_budget = is_defined(module, &__chord_checked);
  module.lacks_rules = is_defined(module, &__chord_no_rules);
}

}  // namespace chord::runtime
