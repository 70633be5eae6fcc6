/* C11 threads, their results, and thrd_exit.
 * calls: main=1 run=5 leave=5 work=10 after=0
 * status: 15
 * flags: -pthread
 */
#include <threads.h>

#include "counted.h"
COUNTED int run(void *argument) {
  (void)argument;
  return work(0);
}
COUNTED int leave(void *argument) {
  (void)argument;
  thrd_exit(work(1));
  after();
  return 0;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++) {
    thrd_t one, two;
    int a = 0, b = 0;
    thrd_create(&one, run, 0);
    thrd_create(&two, leave, 0);
    thrd_join(one, &a);
    thrd_join(two, &b);
    sum += a + b;
  }
  return sum;
}
