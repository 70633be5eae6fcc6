/* pthread_exit and cancellation unwind: frames end at their calls, cleanups run.
 * calls: main=1 leave=20 wait_for_it=20 cleanup=20 after=0 work=20
 * flags: -pthread
 * link: -static
 */
#include <pthread.h>
#include <unistd.h>

#include "counted.h"
COUNTED void down(int n) {
  if (n == 0) pthread_exit(0);
  down(n - 1);
  after();
}
COUNTED void *leave(void *argument) {
  down(3);
  return argument;
}
COUNTED void cleanup(void *argument) { work(argument != 0); }
COUNTED void *wait_for_it(void *argument) {
  pthread_cleanup_push(cleanup, 0);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return argument;
}
int main(void) {
  for (int i = 0; i < 20; i++) {
    pthread_t one, two;
    pthread_create(&one, 0, leave, 0);
    pthread_create(&two, 0, wait_for_it, 0);
    usleep(2000);
    pthread_cancel(two);
    pthread_join(one, 0);
    pthread_join(two, 0);
  }
  return 0;
}
