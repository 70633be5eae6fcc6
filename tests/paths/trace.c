/* Runs a plain program one instruction at a time and writes what it executes of its own.
 *
 *   trace START RANGES OUT PROGRAM [ARGUMENT...]
 *
 * START is where the program begins (_start), RANGES a file as in stepping.h, addresses in
 * hexadecimal. For each instruction in a range that is about to be executed, and for the
 * first and the last of those in between, OUT gets three 64-bit words: number of the
 * thread, program counter, stack pointer. With TRACE_FAULTS in the environment an instruction that
 * faults, which is in OUT already, is followed by three words of which the second is 0. */
#define _GNU_SOURCE
#include "../oracle/stepping.h"

static pid_t threads[1024];
static uint64_t outside[1024][3]; /* by thread: the last instruction if it was in no range */
static int thread_count;

static uint64_t thread_of(pid_t id) {
  for (int i = 0; i < thread_count; ++i)
    if (threads[i] == id) return (uint64_t)i;
  threads[thread_count] = id;
  return (uint64_t)thread_count++;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  read_ranges(argv[2]);
  FILE *out = fopen(argv[3], "w");
  if (out == NULL) die(argv[3]);
  int status, tells_faults = getenv("TRACE_FAULTS") != NULL;
  pid_t child = start_stopped(argv + 4);
  run_to(child, strtoull(argv[1], NULL, 16), 0); /* not through the dynamic linker's work */
  ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
  for (;;) {
    pid_t id = waitpid(-1, &status, __WALL);
    if (id < 0) break;
    if (!WIFSTOPPED(status)) continue;
    int sent = WSTOPSIG(status);
    if (sent == SIGTRAP || sent == SIGSTOP) {
      struct user_regs_struct registers;
      sent = 0;
      if (status >> 16 == 0 && ptrace(PTRACE_GETREGS, id, NULL, &registers) == 0) {
        uint64_t record[3] = {thread_of(id), registers.rip, registers.rsp}, *before = outside[record[0]];
        int inside = in_range(registers.rip);
        if (inside && before[1] != 0) fwrite(before, sizeof record, 1, out);
        if (inside || before[1] == 0) fwrite(record, sizeof record, 1, out);
        before[0] = record[0];
        before[1] = inside ? 0 : record[1];
        before[2] = record[2];
      }
    }
    if (tells_faults && (sent == SIGSEGV || sent == SIGBUS || sent == SIGFPE || sent == SIGILL)) {
      siginfo_t info;
      uint64_t record[3] = {thread_of(id), 0, 0};
      if (ptrace(PTRACE_GETSIGINFO, id, NULL, &info) == 0 && info.si_code > 0) fwrite(record, sizeof record, 1, out);
    }
    ptrace(PTRACE_SINGLESTEP, id, NULL, (void *)(long)sent);
  }
  return fclose(out) != 0;
}
