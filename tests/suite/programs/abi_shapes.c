// Arguments and results in every place the calling convention has for them.
#include <stdio.h>

typedef struct { long a, b; } InRegisters;
typedef struct { double a, b; } InVectors;
typedef struct { long a; double b; } Mixed;
typedef struct { long a[5]; } InMemory;

__attribute__((noinline)) static InRegisters two(long n) {
  InRegisters r = {n, -n};
  if (n > 3) r.b = n * 2;
  return r;
}
__attribute__((noinline)) static InVectors halves(double x) {
  InVectors r = {x / 2, x * 2};
  if (x > 4) r.a = 1;
  return r;
}
__attribute__((noinline)) static Mixed mixed(long n, double x) {
  Mixed r = {n * 3, x};
  while (r.b > 10) r.b /= 3;
  return r;
}
__attribute__((noinline)) static InMemory wide(long n) {
  InMemory r;
  for (int i = 0; i < 5; i++) r.a[i] = n * i;
  return r;
}
__attribute__((noinline)) static __int128 huge(long n) {
  __int128 r = n;
  for (int i = 0; i < 5; i++) r = r * n + i;
  return r;
}
__attribute__((noinline)) static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i,
                                           InMemory m, char j, short k) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + m.a[4] + j * k;
}
__attribute__((noinline)) static float floats(float a, double b, float c, double d, float e, float f, float g, float h,
                                              float i, float j, int k) {
  return k > 2 ? a + (float)b * c : (float)d - e + f * g - h + i * j;
}
__attribute__((noinline)) static _Bool truth(int n) { return n % 3 == 1; }

int main(void) {
  double total = 0;
  for (long n = 0; n < 12; n++) {
    InRegisters r = two(n);
    InVectors v = halves((double)n);
    Mixed m = mixed(n, (double)n * 9);
    __int128 h = huge(n);
    total += (double)(r.a + r.b + m.a) + v.a + v.b + m.b + (double)(long)(h % 1000003);
    total += (double)many(n, 1, 2, 3, 4, 5, 6, 7, 8, wide(n), (char)n, (short)-n);
    total += floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, (int)n) + truth((int)n);
  }
  printf("%.4f\n", total);
  return 0;
}
