/* The program sees its own handlers and defaults, never ours; a handler that restores
 * the default and raises again dies as in the plain program.
 * calls: main=1 handler=2 after=0
 * status: signal 15
 */
#include <signal.h>
#include <stdio.h>

#include "counted.h"
COUNTED void handler(int number) {
  if (number == SIGTERM) {
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    after();
  }
}
int main(void) {
  struct sigaction old, action = {0};
  sigaction(SIGINT, 0, &old);
  printf("%d", old.sa_handler == SIG_DFL);
  action.sa_handler = handler;
  sigaction(SIGINT, &action, &old);
  printf("%d", old.sa_handler == SIG_DFL);
  sigaction(SIGINT, 0, &old);
  printf("%d", old.sa_handler == handler);
  raise(SIGINT);
  action.sa_handler = SIG_DFL;
  sigaction(SIGINT, &action, &old);
  printf("%d", old.sa_handler == handler);
  sigaction(SIGINT, 0, &old);
  printf("%d", old.sa_handler == SIG_DFL);
  printf("%d", signal(SIGTERM, handler) == SIG_DFL);
  printf("%d", signal(SIGQUIT, SIG_IGN) == SIG_DFL);
  printf("%d\n", signal(SIGQUIT, SIG_DFL) == SIG_IGN);
  fflush(stdout);
  raise(SIGTERM);
  after();
  return 0;
}
