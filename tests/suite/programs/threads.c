// suite-link: -pthread
// suite-except: unwind-free   (pthread_exit unwinds the frames it ends)
// Threads that share nothing but the code: no count may be lost or invented.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8 };

__attribute__((noinline)) static unsigned step(unsigned x) { return x % 2 ? 3 * x + 1 : x / 2; }

static void *work(void *argument) {
  unsigned long n = (unsigned long)argument, steps = 0;
  for (unsigned start = 1; start < 60 + n; start++)
    for (unsigned x = start; x != 1; x = step(x)) steps++;
  if (n == 3) pthread_exit((void *)steps);
  return (void *)steps;
}

int main(void) {
  unsigned long total = 0;
  for (int round = 0; round < 3; round++) {
    pthread_t threads[THREADS];
    for (unsigned long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
      void *result;
      pthread_join(threads[i], &result);
      total += (unsigned long)result;
    }
  }
  printf("%lu\n", total);
  return 0;
}
