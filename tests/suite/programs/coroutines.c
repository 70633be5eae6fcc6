// suite-except: unwind-free callsites   (where frames stood at the end is found by unwinding; a note on switched stacks)
// Coroutines by swapcontext: some run to their end, one is left for good by setcontext,
// some are suspended, at different depths, when the process exits.
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { TASKS = 5 };
static ucontext_t scheduler, task[TASKS];
static char stack[TASKS][65536];
static int done[TASKS], steps;

__attribute__((noinline)) static int yield_at(int me, int depth) {
  if (depth > 0) return yield_at(me, depth - 1) + 1;
  swapcontext(&task[me], &scheduler);
  return ++steps;
}
static void body(int me) {
  int sum = 0;
  for (int i = 0; i < 2 + 3 * me; i++) {
    sum += yield_at(me, me + i % 2);
    if (me == 3 && i == 4) {
      done[me] = 2;
      setcontext(&scheduler);
    }
  }
  done[me] = sum != 0;
}

int main(void) {
  for (int i = 0; i < TASKS; i++) {
    getcontext(&task[i]);
    task[i].uc_stack.ss_sp = stack[i];
    task[i].uc_stack.ss_size = sizeof stack[i];
    task[i].uc_link = &scheduler;
    makecontext(&task[i], (void (*)(void))body, 1, i);
  }
  for (int round = 0; round < 7; round++)
    for (int i = 0; i < TASKS; i++)
      if (!done[i]) swapcontext(&scheduler, &task[i]);
  for (int i = 0; i < TASKS; i++) printf("%d ", done[i]);
  printf("steps %d\n", steps);
  exit(0);
}
