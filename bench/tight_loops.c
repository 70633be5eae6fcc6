/* Loops of a few instructions: where counting costs most. One is run, long enough to be
 * timed: tight_loops WHICH MILLIONS. */
#include <stdio.h>
#include <stdlib.h>

#define LOOP __attribute__((noinline)) static

/* A round of about three cycles, one counter. */
LOOP unsigned long counted(unsigned long n) {
  unsigned long x = 1;
  for (unsigned long i = 0; i < n; ++i) {
    x = x * 5 + i;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

/* Vectorised at -O3. */
LOOP unsigned long vectorised(const int *a, unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long k = 0; k < n / 4096; ++k) {
    int part = 0;
    for (int i = 0; i < 4096; ++i) part += a[i] ^ (int)k;
    sum += (unsigned)part;
  }
  return sum;
}

/* A branch that is hard to foresee, an index of 32 bits. */
LOOP unsigned long branching(unsigned long n) {
  unsigned long left = n;
  unsigned x = 7, steps = 0;
  while (left != 0) {
    unsigned round = left > 1000000 ? 1000000 : (unsigned)left;
    for (unsigned i = 0; i != round; ++i) {
      if (x & 1)
        x = x * 3 + 1;
      else
        x = (x >> 1) ^ 0x4000u;
      __asm__ volatile("" : "+r"(x));
      steps += x & 1;
    }
    left -= round;
  }
  return x + steps;
}

/* Three loops, the inner one short. */
LOOP unsigned long nested(const int *a, unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long k = 0; k < n / (64 * 16); ++k)
    for (unsigned i = 0; i < 64; ++i)
      for (unsigned j = 0; j < 16; ++j) {
        sum += (unsigned)a[i * 16 + j];
        __asm__ volatile("" : "+r"(sum));
      }
  return sum;
}

int main(int argc, char **argv) {
  static int a[4096];
  if (argc != 3) return 2;
  unsigned long n = strtoul(argv[2], NULL, 10) * 1000000;
  for (int i = 0; i < 4096; ++i) a[i] = i * 7;
  unsigned long result = 0;
  switch (argv[1][0]) {
    case 'c': result = counted(n); break;
    case 'v': result = vectorised(a, n); break;
    case 'b': result = branching(n); break;
    case 'n': result = nested(a, n); break;
    default: return 2;
  }
  printf("%lu\n", result);
  return 0;
}
