/* Executions of every instruction of a program, by running it one instruction at a time.
 *
 *   step OUT PROGRAM [ARGUMENT...]
 *
 * OUT gets what callgrind would write: `0xADDRESS COUNT`, with link-time addresses, of the
 * program's own code. Slower than callgrind, but right where a signal strikes in the
 * middle of a block: an instruction that faults is not executed. Ends as PROGRAM does. */
#define _GNU_SOURCE
#define STEPPING_FAILED 125
#include <elf.h>
#include <fcntl.h>

#include "stepping.h"

struct thread {
  pid_t id;
  uint64_t at;   /* the instruction about to be executed */
  int signalled; /* the next stop is a handler's first instruction: nothing was executed */
};

static struct thread threads[4096];
static int thread_count;
static uint64_t low, high, bias; /* of the program's code */
static uint64_t *counts;

static struct thread *thread_of(pid_t id) {
  for (int i = 0; i < thread_count; ++i)
    if (threads[i].id == id) return &threads[i];
  if (thread_count == 4096) exit(125);
  threads[thread_count].id = id;
  return &threads[thread_count++];
}

static void find_code(pid_t child, const char *program) {
  char path[4096], name[64], line[8192];
  if (realpath(program, path) == NULL) die(program);
  snprintf(name, sizeof name, "/proc/%d/maps", child);
  FILE *maps = fopen(name, "r");
  uint64_t first = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    uint64_t begin, end, offset;
    char rights[8], file[4096] = "";
    if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &begin, &end, rights, &offset, file) < 4) continue;
    char real[4096];
    if (realpath(file, real) == NULL || __builtin_strcmp(real, path) != 0) continue;
    if (first == 0) first = begin;
    if (rights[2] == 'x') low = low ? low : begin, high = end;
  }
  if (maps == NULL || low == 0) die("maps");
  fclose(maps);
  Elf64_Ehdr header;
  int file = open(program, O_RDONLY);
  if (file < 0 || read(file, &header, sizeof header) != sizeof header) die(program);
  close(file);
  bias = header.e_type == ET_DYN ? first : 0;
  counts = calloc(high - low, sizeof *counts);
  /* The dynamic linker's work is not worth stepping through. */
  uint64_t start = header.e_entry + bias;
  run_to(child, start, 0);
  thread_of(child)->at = start;
}

static void arrive(struct thread *thread) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) != 0) return;
  if (!thread->signalled && thread->at >= low && thread->at < high) ++counts[thread->at - low];
  thread->signalled = 0;
  thread->at = registers.rip;
}

static void write_counts(const char *path, const char *program) {
  char real[4096];
  FILE *out = fopen(path, "w");
  if (out == NULL || realpath(program, real) == NULL) die(path);
  fprintf(out, "positions: instr\nob=%s\n", real);
  for (uint64_t i = 0; i < high - low; ++i)
    if (counts[i] != 0) fprintf(out, "0x%lx %lu\n", low + i - bias, counts[i]);
  fclose(out);
}

int main(int argc, char **argv) {
  if (argc < 3) return 125;
  int status, end = 0;
  pid_t child = start_stopped(argv + 2);
  find_code(child, argv[2]);
  ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
  for (pid_t id; (id = waitpid(-1, &status, __WALL)) > 0;) {
    struct thread *thread = thread_of(id);
    if (!WIFSTOPPED(status)) {
      thread->id = 0;
      if (id == child) end = status;
      continue;
    }
    int sent = WSTOPSIG(status), event = status >> 16;
    if (sent == SIGTRAP || (sent == SIGSTOP && thread->at == 0)) {
      if (event == 0) arrive(thread);
      sent = 0;
    }
    thread->signalled = sent != 0;
    ptrace(PTRACE_SINGLESTEP, id, NULL, (void *)(long)sent);
  }
  write_counts(argv[1], argv[2]);
  if (WIFSIGNALED(end)) {
    signal(WTERMSIG(end), SIG_DFL);
    raise(WTERMSIG(end));
  }
  return WEXITSTATUS(end);
}
