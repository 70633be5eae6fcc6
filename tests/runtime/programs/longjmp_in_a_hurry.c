/* Signals come faster than a jump out of a deep stack can be recorded. One that comes while it is must be let in where the
 * jump lands: if its handler, which jumps, too, ran on the stack that is about to be left, handlers would nest until that is used up.
 *
 * calls: dive=40020 main=1
 * link: -static
 */
#include "counted.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { rounds = 20, depth = 2000, room = 64 * 1024 };
static sigjmp_buf back;
static volatile sig_atomic_t at_bottom;
static char *volatile bottom, *volatile lowest;
static volatile unsigned long sink;

COUNTED static void on_signal(int number) {
  char here;
  (void)number;
  if (!at_bottom) return;
  if (&here < lowest) lowest = &here;
  siglongjmp(back, 1);
}

COUNTED void dive(int left) {
  char here;
  if (left > 0) {
    dive(left - 1);
    sink++;
    return;
  }
  bottom = lowest = &here;
  at_bottom = 1;
  for (;;) sink++;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  timer_t timer;
  struct itimerspec spec = {{0, 40000}, {0, 40000}}, stop = {{0, 0}, {0, 0}};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &spec, NULL);
  volatile long used = 0;
  for (volatile int round = 0; round < rounds; round++) {
    if (sigsetjmp(back, 1) == 0) dive(depth);
    at_bottom = 0;
    if (bottom - lowest > used) used = bottom - lowest;
  }
  timer_settime(timer, 0, &stop, NULL);
  puts(used < room ? "few handlers at a time" : "handlers nest");
  return 0;
}
