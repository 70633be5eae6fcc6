/* 32 threads that count ten million times each, all at once.
 * calls: main=1 run=32 step=320000000
 * flags: -pthread
 */
#include <pthread.h>

#include "counted.h"
enum { THREADS = 32, ITERATIONS = 10000000 };
COUNTED void step(void) { TOUCH(); }
COUNTED void *run(void *argument) {
  for (int i = 0; i < ITERATIONS; i++) step();
  return argument;
}
int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  return 0;
}
