/* Coroutines: one runs to its end, one is left for good by setcontext, two are suspended
 * when the process exits.
 * calls: main=1 body=4 step=7 after=1 left=1
 */
#include <stdlib.h>
#include <ucontext.h>

#include "counted.h"
static ucontext_t scheduler, context[4];
static char stack[4][65536];
COUNTED void left(void) { TOUCH(); }
COUNTED void step(int i) { swapcontext(&context[i], &scheduler); }
COUNTED void body(int i) {
  step(i);
  if (i == 1) {
    left();
    setcontext(&scheduler);
  }
  step(i);
  after();
}
int main(void) {
  for (int i = 0; i < 4; i++) {
    getcontext(&context[i]);
    context[i].uc_stack.ss_sp = stack[i];
    context[i].uc_stack.ss_size = sizeof stack[i];
    context[i].uc_link = &scheduler;
    makecontext(&context[i], (void (*)(void))body, 1, i);
    swapcontext(&scheduler, &context[i]);
  }
  for (int i = 0; i < 4; i++) swapcontext(&scheduler, &context[i]);
  swapcontext(&scheduler, &context[0]);
  exit(0);
}
