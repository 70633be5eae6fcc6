/* Runs a plain program one instruction at a time and writes what it executes of its own.
 *
 *   trace START RANGES OUT PROGRAM [ARGUMENT...]
 *
 * START is where the program begins (_start), RANGES a file with lines `begin end`, all
 * hexadecimal. For each instruction in a range that is about to be executed, and for the
 * first and the last of those in between, OUT gets three 64-bit words: number of the
 * thread, program counter, stack pointer. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t ranges[100000][2];
static size_t range_count;
static pid_t threads[1024];
static uint64_t outside[1024][3]; /* by thread: the last instruction if it was in no range */
static int thread_count;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int in_range(uint64_t pc) {
  size_t low = 0, high = range_count; /* sorted, without overlaps */
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (pc < ranges[middle][0])
      high = middle;
    else if (pc >= ranges[middle][1])
      low = middle + 1;
    else
      return 1;
  }
  return 0;
}

static uint64_t thread_of(pid_t id) {
  for (int i = 0; i < thread_count; ++i)
    if (threads[i] == id) return (uint64_t)i;
  threads[thread_count] = id;
  return (uint64_t)thread_count++;
}

/* The dynamic linker's work is not worth stepping through. */
static void run_to(pid_t id, uint64_t start) {
  int status;
  struct user_regs_struct registers;
  long word = ptrace(PTRACE_PEEKTEXT, id, (void *)start, NULL);
  ptrace(PTRACE_POKETEXT, id, (void *)start, (void *)((word & ~0xffL) | 0xcc));
  ptrace(PTRACE_CONT, id, NULL, NULL);
  if (waitpid(id, &status, 0) != id || !WIFSTOPPED(status)) die("run to the start");
  ptrace(PTRACE_POKETEXT, id, (void *)start, (void *)word);
  ptrace(PTRACE_GETREGS, id, NULL, &registers);
  registers.rip = start;
  ptrace(PTRACE_SETREGS, id, NULL, &registers);
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  FILE *file = fopen(argv[2], "r");
  if (file == NULL) die(argv[2]);
  while (fscanf(file, "%lx %lx", &ranges[range_count][0], &ranges[range_count][1]) == 2) ++range_count;
  fclose(file);
  FILE *out = fopen(argv[3], "w");
  if (out == NULL) die(argv[3]);
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execv(argv[4], argv + 4);
    die(argv[4]);
  }
  int status;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) die("start");
  ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
  run_to(child, strtoull(argv[1], NULL, 16));
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
    ptrace(PTRACE_SINGLESTEP, id, NULL, (void *)(long)sent);
  }
  return fclose(out) != 0;
}
