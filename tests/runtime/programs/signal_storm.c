/* Handlers that run woven code, at any instruction of woven code.
 * calls: main=1 work=3000000 handler=200 in_handler=2000
 */
#include <signal.h>
#include <sys/time.h>

#include "counted.h"
static volatile int handled;
COUNTED void in_handler(void) { TOUCH(); }
COUNTED void handler(int number) {
  (void)number;
  for (int i = 0; i < 10; i++) in_handler();
  if (++handled == 200) {
    struct itimerval none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &none, 0);
    signal(SIGALRM, SIG_IGN); /* one may be pending */
  }
}
int main(void) {
  struct itimerval often = {{0, 100}, {0, 100}};
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &often, 0);
  int n = 0;
  while (n < 3000000) n = work(n);
  while (handled < 200) TOUCH();
  return 0;
}
