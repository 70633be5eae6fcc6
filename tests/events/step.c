/* Ground truth for event queries: runs a plain program one instruction at a time and
 * counts those that lie in given ranges of its text.
 *
 *   step START QUERY RANGES PROGRAM [ARGUMENT...]
 *
 * START is where the program begins (_start), QUERY is the address of the function that stands for a query, RANGES a file as
 * in stepping.h, addresses in hexadecimal. Each time a thread arrives at QUERY a line
 * `query THREAD COUNT` goes to stderr, and `end THREAD COUNT` when the thread ends;
 * threads are numbered in order of their start. A repeated string instruction traps
 * once per repetition and counts once. With STEP_UNTIL=COUNT in the environment it ends when
 * the first thread has come so far, and `ran ADDRESS TIMES` tells how often each instruction
 * has been executed. With STEP_CALLS it also tells, in lines `site ADDRESS COUNT` and
 * `function ADDRESS COUNT`, what ran while at least one call made there, or one activation
 * of the function, was not over; functions begin where a line of RANGES ends in `1`. */
#define _GNU_SOURCE
#include <string.h>

#include "../oracle/stepping.h"

/* A call or an activation that is not over. */
struct open {
  int function;
  uint64_t place, stack, start;
};
struct thread {
  pid_t id;
  uint64_t count;
  uint64_t at; /* where it stands: the instruction about to be executed */
  int repeats;
  struct open open[10000];
  int depth;
};

static struct thread threads[1024];
static int thread_count;
static uint64_t until, *executed;
static int tells_calls;
static uint64_t *totals[2]; /* of call sites, of functions */

static void make_room(void) {
  size_t size = ranges[range_count - 1].end - ranges[0].begin + 1;
  executed = calloc(size, sizeof *executed);
  for (int i = 0; i < 2; ++i) totals[i] = calloc(size, sizeof *totals[i]);
}

static int is_call(pid_t id, uint64_t pc) {
  unsigned char code[8];
  long word = ptrace(PTRACE_PEEKTEXT, id, (void *)pc, NULL);
  memcpy(code, &word, sizeof code);
  int i = 0;
  while (i < 4 && (code[i] == 0x3e || code[i] == 0xf2 || code[i] == 0x66 || code[i] == 0x67 || (code[i] & 0xf0) == 0x40)) ++i;
  return code[i] == 0xe8 || (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2);
}

/* Only the outermost of those with one place counts. */
static void close_innermost(struct thread *thread) {
  struct open *last = &thread->open[--thread->depth];
  for (int i = 0; i < thread->depth; ++i)
    if (thread->open[i].function == last->function && thread->open[i].place == last->place) return;
  totals[last->function][last->place - ranges[0].begin] += thread->count - last->start;
}

static void begin(struct thread *thread, int function, uint64_t place, uint64_t stack) {
  if (thread->depth == 10000) die("calls are too deep");
  thread->open[thread->depth++] = (struct open){function, place, stack, thread->count};
}

/* From the instruction at `from`, which has been executed, to the one at `to`. */
static void follow_calls(struct thread *thread, uint64_t from, uint64_t to, uint64_t stack) {
  const struct range *here = range_of(to);
  int called = in_range(from) && is_call(thread->id, from);
  if (called) begin(thread, 0, from, stack + 8);
  /* Leaving for other code other than by a call is a return, or a jump in place of one. */
  int leaves = here == NULL && in_range(from) && !called;
  if (here == NULL && !leaves) return;
  int enters = here != NULL && to == here->begin && here->function && (called || range_of(from) != here);
  while (thread->depth > 0) {
    struct open *last = &thread->open[thread->depth - 1];
    int over = last->function && !enters && !leaves ? stack > last->stack : stack >= last->stack;
    if (!over) break;
    close_innermost(thread);
  }
  if (enters) begin(thread, 1, to, stack);
}

static void tell_calls(void) {
  const char *names[] = {"site", "function"};
  for (int i = 0; i < 2; ++i)
    for (uint64_t pc = ranges[0].begin; pc < ranges[range_count - 1].end; ++pc)
      if (totals[i][pc - ranges[0].begin] != 0) fprintf(stderr, "%s %lx %lu\n", names[i], pc, totals[i][pc - ranges[0].begin]);
}

static struct thread *thread_of(pid_t id) {
  for (int i = 0; i < thread_count; ++i)
    if (threads[i].id == id) return &threads[i];
  memset(&threads[thread_count], 0, sizeof threads[0]);
  threads[thread_count].id = id;
  return &threads[thread_count++];
}

static int has_repeat_prefix(pid_t id, uint64_t pc) {
  long word = ptrace(PTRACE_PEEKTEXT, id, (void *)pc, NULL);
  unsigned first = (unsigned)word & 0xff, second = (unsigned)(word >> 8) & 0xff;
  if (first == 0x66) first = second, second = (unsigned)(word >> 16) & 0xff;
  /* string instructions only: the prefix also selects operations and marks branches */
  if (first != 0xf2 && first != 0xf3) return 0;
  if ((second & 0xf0) == 0x40) second = (unsigned)(word >> 16) & 0xff;
  return (second >= 0xa4 && second <= 0xa7) || (second >= 0xaa && second <= 0xaf);
}

static void tell_executed(pid_t child) {
  for (size_t i = 0; i < range_count; ++i)
    for (uint64_t pc = ranges[i].begin; pc < ranges[i].end; ++pc)
      if (executed[pc - ranges[0].begin] != 0) fprintf(stderr, "ran %lx %lx\n", pc, executed[pc - ranges[0].begin]);
  kill(child, SIGKILL);
  exit(0);
}

static void arrive(struct thread *thread, uint64_t pc, uint64_t stack, uint64_t query) {
  int same = thread->repeats && pc == thread->at;
  if (!same && in_range(thread->at)) {
    ++thread->count;
    ++executed[thread->at - ranges[0].begin];
    if (thread == threads && thread->count == until) tell_executed(thread->id);
  }
  if (!same && tells_calls) follow_calls(thread, thread->at, pc, stack);
  thread->at = pc;
  thread->repeats = in_range(pc) && has_repeat_prefix(thread->id, pc);
  if (pc == query && !same) fprintf(stderr, "query %d %lu\n", (int)(thread - threads), thread->count);
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  uint64_t query = strtoull(argv[2], NULL, 16);
  read_ranges(argv[3]);
  make_room();
  tells_calls = getenv("STEP_CALLS") != NULL;
  if (getenv("STEP_UNTIL")) until = strtoull(getenv("STEP_UNTIL"), NULL, 10);
  int status;
  pid_t child = start_stopped(argv + 4);
  run_to(child, strtoull(argv[1], NULL, 16), 0); /* not through the dynamic linker's work */
  thread_of(child);
  ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
  int result = 0;
  for (;;) {
    pid_t id = waitpid(-1, &status, __WALL);
    if (id < 0) break;
    struct thread *thread = thread_of(id);
    if (!WIFSTOPPED(status)) {
      while (thread->depth > 0) close_innermost(thread);
      fprintf(stderr, "end %d %lu\n", (int)(thread - threads), thread->count);
      thread->id = 0;
      if (id == child) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int sent = WSTOPSIG(status), event = status >> 16;
    if (sent == SIGTRAP && event == PTRACE_EVENT_CLONE) {
      unsigned long fresh;
      ptrace(PTRACE_GETEVENTMSG, id, NULL, &fresh);
      thread_of((pid_t)fresh); /* numbered now, whenever its first stop is seen */
      sent = 0;
    } else if (sent == SIGTRAP || (sent == SIGSTOP && thread->at == 0)) {
      struct user_regs_struct registers;
      if (ptrace(PTRACE_GETREGS, id, NULL, &registers) == 0) arrive(thread, registers.rip, registers.rsp, query);
      sent = 0;
    }
    ptrace(PTRACE_SINGLESTEP, id, NULL, (void *)(long)sent);
  }
  if (tells_calls) tell_calls();
  return result;
}
