// Steps through a function one instruction at a time.
//
//   step trace BEGIN END PROGRAM        prints each address in [BEGIN, END) that is executed
//   step dump BEGIN PROFILE PROGRAM     asks for a dump before each instruction from BEGIN on
//                                       until the function returns, and prints the profile's
//                                       size behind each; not in [BEGIN, END) of the variable
//                                       STEP_OVER="BEGIN END", if it is set
//   step kill BEGIN COUNT PROGRAM       executes COUNT instructions from BEGIN on, then sends
//                                       SIGTERM; status 2 if the function had returned before
//   step signal BEGIN COUNT PROGRAM…    executes COUNT instructions from the second arrival at
//                                       BEGIN on, then sends SIGUSR1 and lets the program end; if the
//                                       frame around BEGIN is left before, prints after how many
//
// Addresses are hexadecimal, and of a program that is not position-independent.
#define _GNU_SOURCE
#include <string.h>
#include <sys/stat.h>

#include "../oracle/stepping.h"
#include "chord_abi.h"

static pid_t child;

static int wait_stop(void) {
  int status;
  if (waitpid(child, &status, 0) < 0) die("waitpid");
  return status;
}

// False when the program has ended.
static int step(void) {
  if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0) die("step");
  return WIFSTOPPED(wait_stop());
}

static void ask_for_dump(uint64_t pc) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = CHORD_SIGNAL;
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = (void *)CHORD_SIGNAL_DUMP;
  if (ptrace(PTRACE_SETSIGINFO, child, NULL, &info) != 0) die("signal");
  run_to(child, pc, CHORD_SIGNAL);
}

static void trace(uint64_t begin, uint64_t end) {
  run_to(child, begin, 0);
  uint64_t outer = registers_of(child).rsp;
  do {
    struct user_regs_struct r = registers_of(child);
    if (r.rsp > outer) break;
    if (r.rip >= begin && r.rip < end) printf("%llx\n", (unsigned long long)r.rip);
  } while (step());
}

static void dump(uint64_t begin, const char *profile) {
  unsigned long skipped = 0, skipped_end = 0;
  const char *range = getenv("STEP_OVER");
  if (range != NULL && sscanf(range, "%lx %lx", &skipped, &skipped_end) != 2) die("STEP_OVER");
  run_to(child, begin, 0);
  uint64_t outer = registers_of(child).rsp;
  for (;;) {
    struct user_regs_struct r = registers_of(child);
    if (r.rsp > outer) break;
    if (r.rip - skipped >= skipped_end - skipped) {
      ask_for_dump(r.rip);
      struct stat file;
      printf("%lld\n", stat(profile, &file) == 0 ? (long long)file.st_size : -1);
    }
    if (!step()) die("the program ended");
  }
}

static int kill_after(uint64_t begin, long count) {
  run_to(child, begin, 0);
  uint64_t outer = registers_of(child).rsp;
  for (; count > 0; --count) {
    if (!step()) die("the program ended");
    if (registers_of(child).rsp > outer) return 2;
  }
  ptrace(PTRACE_DETACH, child, NULL, (void *)SIGTERM);
  int status = wait_stop();
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1;
}

static int signal_after(uint64_t begin, long count) {
  run_to(child, begin, 0);
  if (!step()) die("the program ended");
  run_to(child, begin, 0);
  uint64_t outer = registers_of(child).rsp;
  for (long done = 0; done < count; ++done) {
    if (!step()) die("the program ended");
    if (registers_of(child).rsp <= outer) continue;
    printf("%ld\n", done);
    return 0;
  }
  ptrace(PTRACE_DETACH, child, NULL, (void *)SIGUSR1);
  int status = wait_stop();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc < 5) return 1;
  uint64_t begin = strtoull(argv[2], NULL, 16);
  child = start_stopped(argv + 4);
  int status = 0;
  if (strcmp(argv[1], "trace") == 0) trace(begin, strtoull(argv[3], NULL, 16));
  if (strcmp(argv[1], "dump") == 0) dump(begin, argv[3]);
  if (strcmp(argv[1], "kill") == 0) status = kill_after(begin, atol(argv[3]));
  if (strcmp(argv[1], "signal") == 0) status = signal_after(begin, atol(argv[3]));
  kill(child, SIGKILL);
  return status;
}
