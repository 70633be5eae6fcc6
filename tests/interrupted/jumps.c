/* A siglongjmp, made twice, and a handler that may come at any instruction of it and jumps, too: further out,
 * to the same frame, or to one that the first jump leaves (argument 0, 1, 2). Each function is called
 * twice, the handler once or, where `wait` is given, as the signal waits for the first jump to let it in. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#define FUNCTION __attribute__((noinline, noclone))
static sigjmp_buf outer, same, inner;
static volatile int which, armed, waits;
FUNCTION void handler(int number) {
  (void)number;
  if (!armed) return;
  armed = 0;
  siglongjmp(which == 0 ? outer : which == 1 ? same : inner, 1);
}
FUNCTION void leave(void) {
  if (waits && armed) raise(SIGUSR1);
  siglongjmp(same, 1);
}
FUNCTION void low(void) {
  if (sigsetjmp(inner, 1) != 0) return;
  if (waits) {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
  }
  leave();
}
FUNCTION void middle(void) {
  if (sigsetjmp(same, 1) == 0) low();
  armed = 0;
}
FUNCTION void top(void) {
  if (sigsetjmp(outer, 1) == 0) middle();
}
int main(int count, char **arguments) {
  which = atoi(arguments[1]);
  waits = count > 2;
  signal(SIGUSR1, handler);
  top();
  armed = 1;
  top();
  return 0;
}
