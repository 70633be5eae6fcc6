/* A handler comes while the jump out of another one is recorded, is let in where that jump lands, and ends the thread there: each frame is
 * left once.
 *
 * calls: dive=40020 run=20 main=1
 * flags: -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counted.h"

static sigjmp_buf back;
static volatile enum { waits, dived, jumps, ends } phase;
static volatile unsigned long sink;

COUNTED static void on_signal(int number) {
  (void)number;
  if (phase == jumps) {
    phase = ends;
    pthread_exit(NULL);
  }
  if (phase == dived) {
    phase = jumps;
    siglongjmp(back, 1);
  }
}

COUNTED static void dive(int left) {
  if (left > 0) {
    dive(left - 1);
    sink++;
    return;
  }
  phase = dived;
  for (;;) sink++;
}

COUNTED static void *run(void *argument) {
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR1;
  event._sigev_un._tid = (int)syscall(SYS_gettid);
  struct itimerspec often = {{0, 40000}, {0, 40000}}, never = {{0, 0}, {0, 0}};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &often, NULL);
  if (sigsetjmp(back, 1) == 0) dive(2000);
  phase = waits;
  timer_settime(timer, 0, &never, NULL);
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    phase = waits;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
  }
  return 0;
}
