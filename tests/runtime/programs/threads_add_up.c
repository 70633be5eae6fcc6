/* Threads count for themselves; nothing is lost.
 * calls: main=1 run=16 work=1600000
 * flags: -pthread
 * link: -static
 */
#include <pthread.h>

#include "counted.h"
COUNTED void *run(void *argument) {
  for (int i = 0; i < 100000; i++) work(i);
  return argument;
}
int main(void) {
  pthread_t threads[16];
  for (int i = 0; i < 16; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 16; i++) pthread_join(threads[i], 0);
  return 0;
}
