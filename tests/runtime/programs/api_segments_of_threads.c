/* Dumps while other threads run: every segment holds what happened in between.
 * calls: main=1 run=4 done=4
 * flags: -pthread
 * segments: 21
 */
#include <chord/chord.h>
#include <pthread.h>
#include <unistd.h>

#include "counted.h"
static volatile int stop;
COUNTED void done(void) { TOUCH(); }
COUNTED void *run(void *argument) {
  while (!stop)
    for (int i = 0; i < 100; i++) work(i);
  done();
  return argument;
}
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 20; i++) {
    usleep(1000);
    chord_dump();
  }
  stop = 1;
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0;
}
