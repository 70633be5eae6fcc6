/* Threads that nobody starts by calling pthread_create by its name.
 * calls: main=1 turn=1330
 * flags: -pthread
 * link: -Wl,-z,now
 * link: -fPIC
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "counted.h"
typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int CreateC11(thrd_t *, thrd_start_t, void *);
static volatile int notified;
COUNTED void turn(void) { __asm__ volatile(""); }
static void *run(void *times) {
  for (long i = 0; i < (long)times; i++) turn();
  return 0;
}
static int run_c11(void *times) {
  run(times);
  return 0;
}
static void notify(union sigval times) {
  run((void *)(long)times.sival_int);
  notified = 1;
}
static void start_by(void *scope) {
  pthread_t thread;
  thrd_t other;
  ((Create *)dlsym(scope, "pthread_create"))(&thread, 0, run, (void *)100L);
  pthread_join(thread, 0);
  ((CreateC11 *)dlsym(scope, "thrd_create"))(&other, run_c11, (void *)10L);
  thrd_join(other, 0);
}
static void wait_for_timer(void) {
  struct sigevent event;
  struct itimerspec once = {{0, 0}, {0, 1000000}};
  timer_t timer;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = notify;
  event.sigev_value.sival_int = 1000;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &once, 0);
  while (!notified) usleep(1000);
  timer_delete(timer);
}
int main(void) {
  start_by(RTLD_NEXT);
  start_by(RTLD_DEFAULT);
  start_by(dlopen("libc.so.6", RTLD_NOW));
  wait_for_timer();
  return 0;
}
