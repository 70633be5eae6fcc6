// Branches of all kinds: conditions of every flag, loops, recursion, tables, conditional calls, string instructions between; and
// enough code that a small instruction cache cannot hold it.
#include <stdint.h>
#include <stdio.h>

static uint32_t seed = 12345;
static uint32_t next(void) { return seed = seed * 1103515245u + 12345u; }

__attribute__((noinline)) static int compare(int a, int b, unsigned c, unsigned d, double x, double y) {
  int n = 0;
  if (a < b) n += 1;
  if (a <= b) n ^= 3;
  if (c > d) n += next() & 1;
  if (c >= d) n -= 2;
  if (x < y) n += 5;
  if (x != y) n ^= 9;
  if (__builtin_add_overflow(a, b, &a)) n += 7;
  if (a < 0) n = -n;
  if (__builtin_parity(c & 0xff)) n += 4;
  return n;
}

__attribute__((noinline)) static int recurse(int n) { return n < 2 ? n : n & 1 ? recurse(n - 1) : recurse(n / 2) + recurse(n - 2); }

__attribute__((noinline)) static int table(unsigned n) {
  switch (n % 9) {
    case 0: return compare(1, 2, n, 4, 1, 2);
    case 1: return recurse((int)(n % 7));
    case 2: return (int)next();
    case 3: return n > 50 ? compare((int)n, 60, 3, n, 2, 1) : 3;
    case 5: return -1;
    case 7: return recurse(3) ^ 8;
    default: return (int)n;
  }
}

__attribute__((noinline)) static int counted(long n) {
  int out = 0;
  __asm__ volatile("jrcxz 1f\n\taddl $3,%0\n1:" : "+r"(out) : "c"(n) : "cc");
  return out;
}
__attribute__((noinline)) static int counted_half(long n) {
  int out = 1;
  __asm__ volatile("jecxz 2f\n\tincl %0\n2:" : "+r"(out) : "c"(n) : "cc");
  return out;
}

__attribute__((noinline)) static void sort(int *p, int n) {
  for (int i = 1; i < n; ++i) {
    for (int k = i; k > 0 && p[k - 1] > p[k]; --k) {
      int x = p[k];
      p[k] = p[k - 1];
      p[k - 1] = x;
    }
  }
}

int main(void) {
  int numbers[60];
  long sum = 0;
  for (int i = 0; i < 60; ++i) numbers[i] = (int)(next() >> 8) % 1000;
  sort(numbers, 60);
  for (unsigned i = 0; i < 200; ++i) {
    sum += table(i) + counted((i & 3) - 1) + counted_half((long)(i & 1) << 32 | (i & 2));
    sum += compare((int)next(), (int)next(), next(), next(), next(), next());
  }
  printf("%ld %d\n", sum, numbers[7]);
  return 0;
}
