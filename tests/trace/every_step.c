// Runs a program and interrupts it by SIGUSR1 before each instruction that it executes in [TEXT, ETEXT), from the second arrival at BEGIN
// until that call returns; but not where signals are blocked, as while the runtime makes room. Prints how often.
//
//   every_step BEGIN TEXT ETEXT EVERY PROGRAM
//
// EVERY: 1, or only before each so many-th. Addresses are hexadecimal, and of a program that is not position-independent.
#define _GNU_SOURCE
#include "../oracle/stepping.h"

static pid_t child;

static void step(long sent) {
  int status;
  if (ptrace(PTRACE_SINGLESTEP, child, NULL, (void *)sent) != 0) die("step");
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) die("the program ended");
}

static int is_blocked(void) {
  char path[64], line[256];
  unsigned long long blocked = 0;
  snprintf(path, sizeof path, "/proc/%d/status", child);
  FILE *status = fopen(path, "r");
  if (status == NULL) die("read status");
  while (fgets(line, sizeof line, status) != NULL) sscanf(line, "SigBlk: %llx", &blocked);
  fclose(status);
  return (blocked >> (SIGUSR1 - 1) & 1) != 0;
}

// Until it has come back from the handler.
static void interrupt(void) {
  step(SIGUSR1);
  struct user_regs_struct in_handler = registers_of(child);
  errno = 0;
  long restorer = ptrace(PTRACE_PEEKDATA, child, (void *)in_handler.rsp, NULL);
  if (errno != 0) die("read stack");
  run_to(child, (uint64_t)restorer, 0);
  step(0);
  step(0);
}

int main(int argc, char **argv) {
  if (argc < 6) return 1;
  uint64_t begin = strtoull(argv[1], NULL, 16), text = strtoull(argv[2], NULL, 16), end = strtoull(argv[3], NULL, 16);
  long every = atol(argv[4]), steps = 0, sent = 0;
  child = start_stopped(argv + 5);
  run_to(child, begin, 0);
  step(0);
  run_to(child, begin, 0);
  const uint64_t outer = registers_of(child).rsp;
  for (struct user_regs_struct r = registers_of(child); r.rsp <= outer; r = registers_of(child)) {
    if (r.rip >= text && r.rip < end && ++steps % every == 0 && !is_blocked()) {
      interrupt();
      ++sent;
    }
    step(0);
  }
  printf("%ld\n", sent);
  int status;
  ptrace(PTRACE_CONT, child, NULL, NULL);
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) die("the program did not end well");
  return 0;
}
