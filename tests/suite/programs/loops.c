// Loops of every shape: counted, nested, with breaks, with two exits, empty ones.
#include <stdio.h>

static int triangle(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) sum += i ^ j;
  return sum;
}

static int collatz(unsigned long n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

static int two_exits(const int *values, int count, int limit) {
  int i = 0, sum = 0;
  for (;;) {
    if (i >= count) break;
    sum += values[i++];
    if (sum > limit) return -i;
  }
  return sum;
}

static int skipping(int n) {
  int kept = 0;
  do {
    if (n % 3 == 0) continue;
    if (n % 7 == 6) goto found;
    kept += n;
  } while (--n > 0);
  return kept;
found:
  return kept * 2;
}

static unsigned deep(int a, int b, int c, int d) {
  unsigned hash = 2166136261u;
  for (int i = 0; i < a; i++)
    for (int j = i; j < b; j++)
      for (int k = 0; k < c; k += 2)
        for (int l = d; l > k; l--) hash = (hash ^ (unsigned)(i * j + k * l)) * 16777619u;
  return hash;
}

static int never(int n) {
  int sum = 0;
  for (int i = n; i < 0; i++) sum += i;
  return sum;
}

int main(void) {
  int values[64];
  for (int i = 0; i < 64; i++) values[i] = (i * 37) % 101;
  printf("%d %d\n", triangle(40), collatz(837799));
  printf("%d %d\n", two_exits(values, 64, 100000), two_exits(values, 64, 500));
  printf("%d %d\n", skipping(100), skipping(3));
  printf("%u %d\n", deep(9, 11, 8, 12), never(5));
  for (volatile int i = 0; i < 17; i++) {
  }
  return 0;
}
