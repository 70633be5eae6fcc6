/* Each thread has its own count. flags: -pthread */
#include <pthread.h>

#include "../query.h"

static __attribute__((noinline)) long work(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += i % 3 ? i : -i;
  return sum;
}

static void *run(void *argument) {
  int number = *(int *)argument;
  long sum = 0;
  for (int i = 0; i < 5; ++i) {
    sum += work(20 * number + i);
    QUERY(number);
  }
  if (number == 2) pthread_exit(NULL);
  return (void *)sum;
}

int main(void) {
  pthread_t threads[3];
  int numbers[3] = {1, 2, 3};
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, run, &numbers[i]);
  QUERY(0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  QUERY(0);
  return work(3) > 0;
}
