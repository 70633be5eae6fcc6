//
// Contexts that swapcontext left are suspended when the process aborts.
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t back, side[3];
static char stacks[3][65536];
static int total;

__attribute__((noinline)) static void suspend(int which, int depth) {
  if (depth == 0)
    swapcontext(&side[which], &back);
  else
    suspend(which, depth - 1);
  total += depth;
}
static void body(int which) {
  for (int i = 0; i < 3; i++) suspend(which, i + which);
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    getcontext(&side[i]);
    side[i].uc_stack.ss_sp = stacks[i];
    side[i].uc_stack.ss_size = sizeof stacks[i];
    side[i].uc_link = &back;
    makecontext(&side[i], (void (*)(void))body, 1, i);
    swapcontext(&back, &side[i]);
  }
  swapcontext(&back, &side[1]);
  printf("%d\n", total);
  fflush(stdout);
  abort();
}
