/* Threads that still run, sleep, or block every signal when the process exits are
 * brought to rest: no contradiction, whatever instruction they are at.
 * calls: main=1 spin=2 doze=1 deaf=1 after=0
 * flags: -pthread
 * link: -static
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "counted.h"
static int started; /* a busy machine takes its time */
COUNTED void *spin(void *argument) {
  __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
  for (int i = 0;; i = work(i)) TOUCH();
  after();
  return argument;
}
COUNTED void *doze(void *argument) {
  __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
  for (;;) pause();
  after();
  return argument;
}
COUNTED void *deaf(void *argument) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, 0);
  __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
  for (;;) work(1);
  after();
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, spin, 0);
  pthread_create(&thread, 0, spin, 0);
  pthread_create(&thread, 0, doze, 0);
  pthread_create(&thread, 0, deaf, 0);
  while (__atomic_load_n(&started, __ATOMIC_RELAXED) < 4) usleep(1000);
  usleep(50000);
  return 0;
}
