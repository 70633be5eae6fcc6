/* flags: -pthread */
/* Threads in one function with many paths, each on its own ones, while another starts and ends more. */
#include <pthread.h>
#include <stdio.h>

__attribute__((noinline)) static int bits(unsigned n) {
  int sum = 0;
  if (n & 1) sum += 3; else sum ^= 5;
  if (n & 2) sum *= 3; else sum -= 1;
  if (n & 4) sum += 7; else sum ^= 9;
  return sum;
}
static void *run(void *argument) {
  long thread = (long)argument, sum = 0;
  for (unsigned i = 0; i < 20; i++) sum += bits(i * (unsigned)thread);
  return (void *)sum;
}
static void *start_another(void *argument) {
  pthread_t inner;
  void *result;
  pthread_create(&inner, NULL, run, argument);
  long sum = (long)run((void *)5L);
  pthread_join(inner, &result);
  return (void *)(sum + (long)result);
}

int main(void) {
  pthread_t threads[4];
  long sum = 0;
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, i % 2 ? run : start_another, (void *)(i + 1));
  for (int i = 0; i < 4; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum = sum * 3 + (long)result;
  }
  printf("%ld\n", sum);
  return 0;
}
