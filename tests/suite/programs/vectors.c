// Loops a compiler turns into vector code, with their prologues and remainders.
#include <stdio.h>

enum { N = 203 };
static int ints[N], more[N];
static float floats[N];
static double doubles[N];
static unsigned char bytes[N];

static void fill(void) {
  for (int i = 0; i < N; i++) {
    ints[i] = i * 7 - 300;
    more[i] = (i * i) % 91;
    floats[i] = (float)(i % 17) * 0.5f;
    doubles[i] = 1.0 / (i + 1);
    bytes[i] = (unsigned char)(i * 11);
  }
}
__attribute__((noinline)) static int dot(const int *a, const int *b, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
__attribute__((noinline)) static void saxpy(float *restrict y, const float *restrict x, float a, int n) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}
__attribute__((noinline)) static int largest(const int *a, int n) {
  int best = a[0];
  for (int i = 1; i < n; i++) best = a[i] > best ? a[i] : best;
  return best;
}
__attribute__((noinline)) static int count_above(const unsigned char *p, int n, unsigned char limit) {
  int count = 0;
  for (int i = 0; i < n; i++) count += p[i] > limit;
  return count;
}
__attribute__((noinline)) static void smooth(double *out, const double *in, int n) {
  for (int i = 1; i + 1 < n; i++) out[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
}

int main(void) {
  fill();
  long sum = 0;
  for (int n = 0; n < N; n += 13) sum += dot(ints, more, n) + count_above(bytes, n, 100);
  static float y[N];
  for (int i = 0; i < 5; i++) saxpy(y, floats, (float)i, N - i);
  static double out[N];
  smooth(out, doubles, N);
  double total = 0;
  for (int i = 0; i < N; i++) total += out[i] + y[i];
  printf("%ld %d %.9f\n", sum, largest(ints, N), total);
  return 0;
}
