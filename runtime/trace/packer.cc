// A process of ours that packs what is recorded while it is: `chord trace pack`, started once the trace is worth it.
//
// The program must not notice it. It is nobody's child: it is started by a process that ends at once, which the program has waited for before any
// code of its own runs, and which sends no signal when it ends. Both share the program's memory until there is something of their own (as after
// vfork), so that starting them takes no longer in a large program. It has a session of its own, none of the program's descriptors, handlers or
// environment, and is told by name which file to look at. What cannot be (no chord, no such call) leaves the trace as it is.
//
// The two share a page of the trace (chord_trace_packer). While the packer is far behind, threads that need more room wait; never for one that makes no step.
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "trace.h"

extern "C" {
extern const char __chord_trace_tool[] __attribute__((weak, visibility("hidden")));
}

namespace chord::runtime {
namespace {

constexpr uint64_t most_behind = 64 * 1024 * 1024;
constexpr long wait_ns = 50'000'000;
constexpr int most_waits = 40;  // without a step of the packer
constexpr size_t page_size = 4096, stack_size = 64 * 1024;

// ---- Starting it ----

struct Start {
  const char *program;
  char **arguments;
  char *second_stack;  // its end
  bool failed;
};

[[noreturn]] void leave_process(int status) {
  for (;;) kernel(SYS_exit_group, status);
}

// A process that shares our memory, and runs on a stack of its own until it has ended or become another program; meanwhile the
// calling thread stands still. No signal tells of its end.
long run_beside(char *stack, void (*run)(Start &), Start &start) {
  constexpr long flags = CLONE_VM | CLONE_VFORK | CLONE_UNTRACED;
  long result;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  asm volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "movq %[start], %%rdi\n\t"
      "call *%[run]\n\t"
      "ud2\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(r10), "r"(r8), [run] "r"(run), [start] "r"(&start)
      : "rcx", "r11", "memory");
  return result;
}

void close_all_descriptors() {
  constexpr long close_range = 436;
  long nothing = kernel(SYS_open, arg("/dev/null"), O_RDWR, 0);
  if (nothing < 0) nothing = kernel(SYS_open, arg("/"), O_RDONLY, 0);  // cannot be written to, but is there
  for (long standard = 0; standard < 3; ++standard)
    if (nothing != standard) kernel(SYS_dup2, nothing, standard);
  if (kernel(close_range, 3, ~0u, 0) == 0) return;
  for (long file = 3; file < 65536; ++file) kernel(SYS_close, file);
}

void become_packer(Start &start) {
  static char *no_environment[] = {nullptr};
  set_mask(0);
  kernel(SYS_execve, reinterpret_cast<long>(start.program), arg(start.arguments), arg(no_environment));
  start.failed = true;
  leave_process(127);
}

void start_and_leave(Start &start) {
  const KernelAction usual{};
  for (int signal = 1; signal <= 64; ++signal) kernel_sigaction(signal, &usual, nullptr);
  kernel(SYS_setsid);
  kernel(SYS_chdir, arg("/"));
  close_all_descriptors();
  if (run_beside(start.second_stack, become_packer, start) < 0) start.failed = true;
  leave_process(0);
}

// It would be the program's to wait for, or the program has given up the right to start any.
bool would_be_noticed(const Settings &settings) {
  int adopts = 0;
  if (process_id() == 1 || kernel(SYS_prctl, PR_GET_CHILD_SUBREAPER, arg(&adopts), 0, 0, 0) != 0 || adopts != 0) return true;
  return kernel(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0) != settings.seccomp;
}

// Whoever can change the file could do what this user can.
bool is_trusted(const struct stat &facts) {
  const auto user = static_cast<uint32_t>(kernel(SYS_geteuid));
  return S_ISREG(facts.st_mode) && (facts.st_uid == 0 || facts.st_uid == user) && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool can_run(const char *program) {
  struct stat facts {};
  if (program[0] != '/' || kernel(SYS_stat, reinterpret_cast<long>(program), arg(&facts)) != 0) return false;
  return is_trusted(facts) && kernel(SYS_access, reinterpret_cast<long>(program), X_OK) == 0;
}

// What was asked for; else the one that built the program, or the first that is found where programs are.
bool find_packer(const Settings &settings, char *into, size_t size) {
  if (settings.packer[0] != 0) return can_run(Text(into, size).add(settings.packer).data());
  if (__chord_trace_tool != nullptr && can_run(Text(into, size).add(__chord_trace_tool).data())) return true;
  for (const char *folder = settings.search; *folder != 0;) {
    Text name(into, size);
    for (; *folder != 0 && *folder != ':'; ++folder) name.add(*folder);
    if (*folder == ':') ++folder;
    if (can_run(name.add("/chord").data())) return true;
  }
  return false;
}

chord_trace_packer *make_page(TraceFile &trace) {
  if (!reserve(trace, trace.size, page_size)) return nullptr;
  long mapped = kernel(SYS_mmap, 0, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, trace.file, static_cast<long>(trace.size));
  if (mapped < 0 && mapped > -4096) return nullptr;
  auto *page = reinterpret_cast<chord_trace_packer *>(mapped);
  page->version = CHORD_TRACE_PACKER_VERSION;
  page->size = page_size;
  page->reached = trace.size += page_size;
  __atomic_store_n(&page->magic, CHORD_TRACE_PACKER_MAGIC, __ATOMIC_RELEASE);
  return page;
}

bool run_packer(const char *program, TraceFile &trace, uint64_t page) {
  char numbers[3][24];
  Text(numbers[0], sizeof numbers[0]).add_number(trace.device);
  Text(numbers[1], sizeof numbers[1]).add_number(trace.inode);
  Text(numbers[2], sizeof numbers[2]).add_number(page);
  char words[4][16] = {"chord", "trace", "pack", "--live"};
  char *arguments[] = {words[0], words[1], words[2], words[3], numbers[0], numbers[1], numbers[2], trace.path, nullptr};
  auto *stacks = static_cast<char *>(map_pages(2 * stack_size));
  if (stacks == nullptr) return false;
  Start start{program, arguments, stacks + stack_size, false};
  long between = run_beside(stacks + 2 * stack_size, start_and_leave, start);
  if (between > 0) kernel(SYS_wait4, between, 0, __WALL, 0);
  unmap_pages(stacks, 2 * stack_size);
  return between > 0 && !start.failed;
}

// ---- Waiting for it ----

bool is_at_work(const chord_trace_packer &page) { return __atomic_load_n(&page.state, __ATOMIC_ACQUIRE) == CHORD_TRACE_PACKER_WORKS; }

// False: it has made no step for too long, or has not made one since it was last found so.
bool await_step(TraceFile &trace, chord_trace_packer &page) {
  const uint32_t seen = __atomic_load_n(&page.steps, __ATOMIC_ACQUIRE);
  if (!is_at_work(page) || (trace.given_up && trace.given_up_at == seen)) return false;
  for (int waits = 0; waits < most_waits; ++waits) {
    timespec pause{0, wait_ns};
    kernel(SYS_futex, arg(&page.steps), FUTEX_WAIT, seen, arg(&pause));
    if (__atomic_load_n(&page.steps, __ATOMIC_ACQUIRE) != seen) return true;
  }
  trace.given_up_at = seen;
  trace.given_up = true;
  return false;
}

chord_trace_packer *packer_of(const TraceFile &trace) { return __atomic_load_n(&trace.packer, __ATOMIC_ACQUIRE); }

}  // namespace

void start_packer(TraceFile &trace) {
  if (trace.packer_asked || trace.settings.ring != 0 || trace.settings.raw || trace.size < worth_packing || trace.path[0] != '/') return;
  trace.packer_asked = true;
  char program[4352];
  if (would_be_noticed(trace.settings) || !find_packer(trace.settings, program, sizeof program)) return;
  chord_trace_packer *page = make_page(trace);
  if (page == nullptr) return;
  if (run_packer(program, trace, trace.size - page_size)) {
    __atomic_store_n(&trace.packer, page, __ATOMIC_RELEASE);
  } else {
    page->state = CHORD_TRACE_PACKER_GONE;
    unmap_pages(page, page_size);
  }
}

void tell_packer(TraceFile &trace) {
  chord_trace_packer *page = packer_of(trace);
  if (page == nullptr) return;
  __atomic_store_n(&page->reached, trace.size, __ATOMIC_RELEASE);
  __atomic_fetch_add(&page->news, 1, __ATOMIC_ACQ_REL);
  kernel(SYS_futex, arg(&page->news), FUTEX_WAKE, 1);
}

void hold_back(TraceFile &trace) {
  chord_trace_packer *page = packer_of(trace);
  if (page == nullptr) return;
  while (__atomic_load_n(&page->reached, __ATOMIC_ACQUIRE) - __atomic_load_n(&page->done, __ATOMIC_ACQUIRE) > most_behind)
    if (!await_step(trace, *page)) return;
}

bool await_room(TraceFile &trace) {
  chord_trace_packer *page = packer_of(trace);
  if (page == nullptr) return false;
  const uint64_t before = __atomic_load_n(&page->released, __ATOMIC_ACQUIRE);
  while (__atomic_load_n(&page->released, __ATOMIC_ACQUIRE) == before)
    if (__atomic_load_n(&page->done, __ATOMIC_ACQUIRE) >= page->reached || !await_step(trace, *page)) return false;
  return true;
}

uint64_t bytes_on_disk(const TraceFile &trace) {
  const chord_trace_packer *page = packer_of(trace);
  if (page == nullptr) return trace.size;
  const uint64_t released = __atomic_load_n(&page->released, __ATOMIC_ACQUIRE), packed = __atomic_load_n(&page->packed, __ATOMIC_ACQUIRE);
  return trace.size - (released < trace.size ? released : trace.size) + packed;
}

void forget_packer(TraceFile &trace) {
  if (trace.packer != nullptr) unmap_pages(trace.packer, page_size);
}

}  // namespace chord::runtime
