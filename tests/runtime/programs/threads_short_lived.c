/* Thousands of threads, on the smallest stacks there are.
 * calls: main=1 run=3000 work=3000
 * flags: -pthread
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#include "counted.h"
COUNTED void *run(void *argument) {
  work(1);
  return argument;
}
int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  for (int i = 0; i < 300; i++) {
    pthread_t threads[10];
    for (int k = 0; k < 10; k++)
      if (pthread_create(&threads[k], &attributes, run, 0) != 0) return printf("no thread\n"), 1;
    for (int k = 0; k < 10; k++) pthread_join(threads[k], 0);
  }
  return 0;
}
