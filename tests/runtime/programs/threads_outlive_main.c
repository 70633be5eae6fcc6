/* main ends by pthread_exit; the last thread ends the process, and what runs at exit
 * runs in it.
 * calls: main=1 run=3 work=3000 at_end=1
 * flags: -pthread
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "counted.h"
COUNTED void *run(void *argument) {
  usleep(20000);
  for (int i = 0; i < 1000; i++) work(i);
  return argument;
}
COUNTED void at_end(void) { TOUCH(); }
int main(void) {
  pthread_t thread;
  atexit(at_end);
  for (int i = 0; i < 3; i++) pthread_create(&thread, 0, run, 0);
  pthread_exit(0);
}
