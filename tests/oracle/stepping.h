/* What every program here that runs another one instruction at a time has in common: the
 * start, which is not worth stepping through, and the ranges of addresses that are looked at. */
#ifndef STEPPING_H
#define STEPPING_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The status that tells our own failures from the program's. */
#ifndef STEPPING_FAILED
#define STEPPING_FAILED 1
#endif

/* The program ends with us. */
static inline void die(const char *what) {
  perror(what);
  exit(STEPPING_FAILED);
}

/* Starts a program, which is stopped then; new threads are traced, too. */
static inline pid_t start_stopped(char **command) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execv(command[0], command);
    perror(command[0]);
    _exit(127);
  }
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) die("start");
  ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
  return child;
}

static inline struct user_regs_struct registers_of(pid_t id) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, id, NULL, &registers) != 0) die("registers");
  return registers;
}

/* Runs on, delivering `sent` if it is not 0, until the instruction at `pc` is next. */
static inline void run_to(pid_t id, uint64_t pc, long sent) {
  int status;
  errno = 0;
  long word = ptrace(PTRACE_PEEKTEXT, id, (void *)pc, NULL);
  if (errno != 0) die("read code");
  ptrace(PTRACE_POKETEXT, id, (void *)pc, (void *)((word & ~0xffL) | 0xcc));
  ptrace(PTRACE_CONT, id, NULL, (void *)sent);
  if (waitpid(id, &status, 0) != id || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
    die("the program did not get to the place");
  ptrace(PTRACE_POKETEXT, id, (void *)pc, (void *)word);
  struct user_regs_struct registers = registers_of(id);
  registers.rip = pc;
  ptrace(PTRACE_SETREGS, id, NULL, &registers);
}

/* ---- Ranges ---- */

struct range {
  uint64_t begin, end;
  int function; /* one begins here */
};
static struct range ranges[100000];
static size_t range_count;

/* Lines `begin end function`, the first two hexadecimal, sorted and without overlaps. */
static inline void read_ranges(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) die(path);
  struct range *next = ranges;
  while (fscanf(file, "%lx %lx %d", &next->begin, &next->end, &next->function) == 3) ++next;
  range_count = (size_t)(next - ranges);
  fclose(file);
}

static inline const struct range *range_of(uint64_t pc) {
  size_t low = 0, high = range_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (pc < ranges[middle].begin)
      high = middle;
    else if (pc >= ranges[middle].end)
      low = middle + 1;
    else
      return &ranges[middle];
  }
  return NULL;
}

static inline int in_range(uint64_t pc) { return range_of(pc) != NULL; }

#endif
