/* A thread that clone itself made: the profile says so.
 * calls: main=1
 * notes: threads were started by clone
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "counted.h"
static char stack[65536] __attribute__((aligned(16)));
static int run(void *nothing) {
  (void)nothing;
  return 0;
}
int main(void) {
  int status;
  int child = clone(run, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, 0);
  return waitpid(child, &status, 0) == child ? 0 : 1;
}
