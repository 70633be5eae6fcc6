// Makes a long trace, and looks at what a program can see of other processes: nothing must tell it that its trace is packed meanwhile.
//
// usage: packing ROUNDS [look|fork|exec|threads|close|subreaper]
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t children_ended;

static void on_child(int signal) {
  (void)signal;
  ++children_ended;
}

#define MAYBE(bit) \
  if (seed & (1u << bit)) __asm__ volatile("nop")

__attribute__((noinline)) static unsigned slice(unsigned seed, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    seed = seed * 1103515245u + 12345u;
    MAYBE(8);
    MAYBE(10);
    MAYBE(12);
    MAYBE(14);
    MAYBE(16);
    MAYBE(18);
    MAYBE(20);
    MAYBE(22);
  }
  return seed;
}

enum { SLICE = 1000 };

__attribute__((noinline)) static unsigned walk(unsigned seed, long rounds) {
  for (; rounds > 0; rounds -= SLICE) seed = slice(seed, rounds < SLICE ? (int)rounds : SLICE);
  return seed;
}

static void *run(void *rounds) { return (void *)(unsigned long)walk(42, (long)rounds); }

// How many descriptors there are.
static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL) ++count;
  if (folder != NULL) closedir(folder);
  return count;
}

// While it walks, and after, no child may be seen.
static void look(long rounds) {
  struct sigaction action = {.sa_handler = on_child};
  sigaction(SIGCHLD, &action, NULL);
  volatile unsigned sum = walk(1, 10);
  int before = descriptors(), seen = 0;
  for (int part = 0; part < 50; ++part) {
    sum += walk(42 + (unsigned)part, rounds / 50);
    errno = 0;
    seen += waitpid(-1, NULL, WNOHANG | __WALL) != -1 || errno != ECHILD;
    siginfo_t info;
    errno = 0;
    seen += waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != -1 || errno != ECHILD;
  }
  printf("%d signals, %d children, %d descriptors\n", (int)children_ended, seen, descriptors() - before);
}

int main(int count, char **arguments) {
  long rounds = count > 1 ? atol(arguments[1]) : 1000;
  const char *what = count > 2 ? arguments[2] : "";
  if (strcmp(what, "look") == 0) {
    look(rounds);
  } else if (strcmp(what, "fork") == 0) {
    volatile unsigned before = walk(42, rounds);
    (void)before;
    fflush(stdout);
    pid_t child = fork();
    unsigned seed = walk(42, rounds);
    if (child == 0) _exit(seed & 1);
    int status = 0;
    printf("%d %d\n", waitpid(-1, &status, 0) == child, WEXITSTATUS(status) == (int)(seed & 1));
    printf("%d\n", waitpid(-1, &status, 0) == -1 && errno == ECHILD);
  } else if (strcmp(what, "exec") == 0) {
    printf("%u\n", walk(42, rounds));
    fflush(stdout);
    execl("/proc/self/exe", arguments[0], arguments[1], (char *)NULL);
  } else if (strcmp(what, "threads") == 0) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, run, (void *)rounds);
    unsigned long sum = 0;
    for (int i = 0; i < 4; ++i) {
      void *result;
      pthread_join(threads[i], &result);
      sum += (unsigned long)result;
    }
    printf("%lu\n", sum);
  } else {
    if (strcmp(what, "close") == 0) {
      volatile unsigned before = walk(42, 10);
      (void)before;
      for (int file = 3; file < 1024; ++file) close(file);
    }
    if (strcmp(what, "subreaper") == 0) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    printf("%u\n", walk(42, rounds));
    if (strcmp(what, "subreaper") == 0) printf("%d\n", waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
  }
  return 0;
}
