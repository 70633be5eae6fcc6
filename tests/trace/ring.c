// Walks trees whose shapes depend on a random number: no two stretches of the run look alike. With an argument: in so many
// threads besides, one after the other.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned leaf(unsigned seed) { return seed % 3 ? seed * 2654435761u + 1 : seed / 3 + 7; }

__attribute__((noinline)) static unsigned walk(unsigned seed, int depth) {
  seed = leaf(seed * 1103515245u + 12345u);
  for (unsigned child = 0; depth > 0 && child < (seed >> 16) % 4; ++child) {
    seed ^= walk(seed + child, depth - 1);
    switch (seed % 7) {
      case 0: seed += 3; break;
      case 1: seed ^= 0x55; break;
      case 2: seed = leaf(seed); break;
      case 3: seed -= child; break;
      case 4: seed += 11; break;
      case 5: seed *= 3; break;
    }
  }
  return seed;
}

static void *run(void *rounds) {
  unsigned seed = 42;
  for (long i = 0; i < (long)rounds; ++i) seed += walk(seed + (unsigned)i, 12);
  return (void *)(unsigned long)seed;
}

int main(int count, char **arguments) {
  long rounds = count > 1 ? atol(arguments[1]) : 2000, threads = count > 2 ? atol(arguments[2]) : 0;
  unsigned sum = (unsigned)(unsigned long)run((void *)rounds);
  for (long i = 0; i < threads; ++i) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, (void *)rounds);
    pthread_join(thread, &result);
    sum += (unsigned)(unsigned long)result;
  }
  printf("%u\n", sum);
  return 0;
}
