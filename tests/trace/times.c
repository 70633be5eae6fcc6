// Works, names a moment, sleeps, names another, and works on; the same in another thread.
#include <chord/chord.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static unsigned slice(unsigned seed, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    seed = seed * 1103515245u + 12345u;
    if (seed & (1u << 12)) __asm__ volatile("nop");
    if (seed & (1u << 16)) __asm__ volatile("nop");
    if (seed & (1u << 20)) __asm__ volatile("nop");
  }
  return seed;
}

__attribute__((noinline)) static unsigned walk(unsigned seed, int slices) {
  for (int i = 0; i < slices; ++i) seed = slice(seed, 500);
  return seed;
}

// Not traced: a mark of the other thread stops this one for a moment, and it goes round once more.
__attribute__((noinline)) static void rest(void) {
  struct timespec left = {0, 200000000};
  while (nanosleep(&left, &left) != 0) {
  }
}

static void *work(void *unused) {
  (void)unused;
  unsigned seed = walk(1, 400);
  chord_mark("before");
  rest();
  chord_mark("after");
  return (void *)(unsigned long)walk(seed, 400);
}

int main(void) {
  pthread_t thread;
  void *other;
  pthread_create(&thread, NULL, work, NULL);
  unsigned long own = (unsigned long)work(NULL);
  pthread_join(thread, &other);
  printf("%lu\n", own + (unsigned long)other);
  return 0;
}
