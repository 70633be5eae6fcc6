// Steps through a function one instruction at a time.
//
//   step trace BEGIN END PROGRAM        prints each address in [BEGIN, END) that is executed
//   step dump BEGIN PROFILE PROGRAM     asks for a dump before each instruction from BEGIN on
//                                       until the function returns, and prints the profile's
//                                       size behind each
//   step kill BEGIN COUNT PROGRAM       executes COUNT instructions from BEGIN on, then sends
//                                       SIGTERM; status 2 if the function had returned before
//
// Addresses are hexadecimal, and of a program that is not position-independent.
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chord_abi.h"

static pid_t child;

static void fail(const char *what) {
  fprintf(stderr, "step: %s: %s\n", what, strerror(errno));
  if (child > 0) kill(child, SIGKILL);
  exit(1);
}

static int wait_stop(void) {
  int status;
  if (waitpid(child, &status, 0) < 0) fail("waitpid");
  return status;
}

static struct user_regs_struct registers(void) {
  struct user_regs_struct r;
  if (ptrace(PTRACE_GETREGS, child, NULL, &r) != 0) fail("registers");
  return r;
}

// Runs on, delivering `signal`, until the instruction at `pc` is next.
static void run_to(uint64_t pc, long signal) {
  errno = 0;
  long word = ptrace(PTRACE_PEEKTEXT, child, (void *)pc, NULL);
  if (errno != 0) fail("read code");
  ptrace(PTRACE_POKETEXT, child, (void *)pc, (void *)((word & ~0xffL) | 0xcc));
  ptrace(PTRACE_CONT, child, NULL, (void *)signal);
  int status = wait_stop();
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) fail("the program did not get to the place");
  ptrace(PTRACE_POKETEXT, child, (void *)pc, (void *)word);
  struct user_regs_struct r = registers();
  r.rip = pc;
  ptrace(PTRACE_SETREGS, child, NULL, &r);
}

// False when the program has ended.
static int step(void) {
  if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0) fail("step");
  return WIFSTOPPED(wait_stop());
}

static void start(char **command) {
  child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execv(command[0], command);
    _exit(127);
  }
  if (!WIFSTOPPED(wait_stop())) fail("start");
  ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_EXITKILL);
}

static void ask_for_dump(uint64_t pc) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = CHORD_SIGNAL;
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = (void *)CHORD_SIGNAL_DUMP;
  if (ptrace(PTRACE_SETSIGINFO, child, NULL, &info) != 0) fail("signal");
  run_to(pc, CHORD_SIGNAL);
}

static void trace(uint64_t begin, uint64_t end) {
  run_to(begin, 0);
  uint64_t outer = registers().rsp;
  do {
    struct user_regs_struct r = registers();
    if (r.rsp > outer) break;
    if (r.rip >= begin && r.rip < end) printf("%llx\n", (unsigned long long)r.rip);
  } while (step());
}

static void dump(uint64_t begin, const char *profile) {
  run_to(begin, 0);
  uint64_t outer = registers().rsp;
  for (;;) {
    struct user_regs_struct r = registers();
    if (r.rsp > outer) break;
    ask_for_dump(r.rip);
    struct stat file;
    printf("%lld\n", stat(profile, &file) == 0 ? (long long)file.st_size : -1);
    if (!step()) fail("the program ended");
  }
}

static int kill_after(uint64_t begin, long count) {
  run_to(begin, 0);
  uint64_t outer = registers().rsp;
  for (; count > 0; --count) {
    if (!step()) fail("the program ended");
    if (registers().rsp > outer) return 2;
  }
  ptrace(PTRACE_DETACH, child, NULL, (void *)SIGTERM);
  int status = wait_stop();
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc < 5) return 1;
  uint64_t begin = strtoull(argv[2], NULL, 16);
  start(argv + 4);
  int status = 0;
  if (strcmp(argv[1], "trace") == 0) trace(begin, strtoull(argv[3], NULL, 16));
  if (strcmp(argv[1], "dump") == 0) dump(begin, argv[3]);
  if (strcmp(argv[1], "kill") == 0) status = kill_after(begin, atol(argv[3]));
  kill(child, SIGKILL);
  return status;
}
