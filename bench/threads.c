/* threads N ROUNDS: N threads, each with ROUNDS rounds of a loop with a branch and a call. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long rounds;

__attribute__((noinline)) unsigned mix(unsigned state) { return (state >> 1) ^ (-(state & 1u) & 0xd0000001u); }

static void *run(void *argument) {
  unsigned state = (unsigned)(size_t)argument * 2654435761u + 1, odd = 0;
  for (long i = 0; i < rounds; i++) {
    state = mix(state);
    if (state & 4) odd++;
  }
  return (void *)(size_t)(odd ^ state);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int count = atoi(argv[1]);
  rounds = atol(argv[2]);
  pthread_t threads[1024];
  size_t sum = 0;
  if (count > 1024) return 2;
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, run, (void *)(size_t)i);
  for (int i = 0; i < count; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (size_t)result;
  }
  printf("%zu\n", sum);
  return 0;
}
