// Hash rounds with more live values than registers, and red-zone leaf functions.
#include <stdint.h>
#include <stdio.h>

static uint32_t turn(uint32_t x, int n) { return x << n | x >> (32 - n); }

__attribute__((noinline)) static void rounds(uint32_t s[16], int n) {
  uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
  uint32_t i = s[8], j = s[9], k = s[10], l = s[11], m = s[12], o = s[13], p = s[14], q = s[15];
  while (n-- > 0) {
    a += e; m = turn(m ^ a, 16); i += m; e = turn(e ^ i, 12);
    b += f; o = turn(o ^ b, 16); j += o; f = turn(f ^ j, 12);
    c += g; p = turn(p ^ c, 16); k += p; g = turn(g ^ k, 12);
    d += h; q = turn(q ^ d, 16); l += q; h = turn(h ^ l, 12);
    if (a & 1) { a += f; q = turn(q ^ a, 8); }
    if (b & 2) { b += g; m = turn(m ^ b, 8); } else { c -= h; }
    if (c > d) { uint32_t t = k; k = l; l = t; }
  }
  s[0] = a; s[1] = b; s[2] = c; s[3] = d; s[4] = e; s[5] = f; s[6] = g; s[7] = h;
  s[8] = i; s[9] = j; s[10] = k; s[11] = l; s[12] = m; s[13] = o; s[14] = p; s[15] = q;
}

// A leaf with its locals in the red zone: nothing may be pushed over them.
__attribute__((noinline)) static int leaf(const unsigned char *p, int n) {
  volatile int slots[12];
  for (int i = 0; i < 12; i++) slots[i] = i;
  for (int i = 0; i < n; i++) {
    if (p[i] & 1) slots[p[i] % 12] += p[i];
    else slots[(p[i] >> 1) % 12] ^= i;
  }
  int sum = 0;
  for (int i = 0; i < 12; i++) sum = sum * 5 + slots[i];
  return sum;
}

__attribute__((noinline)) static double doubles(double a, double b, double c, double d, double e, double f, double g,
                                                double h, int n) {
  double i = a + b, j = c - d, k = e * f, l = g + h, m = a * h, o = b + g, p = c * f, q = d - e;
  for (; n > 0; n--) {
    a = b * 0.5 + i; b = c * 0.25 + j; c = d * 0.5 - k; d = e * 0.5 + l;
    e = f * 0.5 + m; f = g * 0.5 - o; g = h * 0.5 + p; h = a * 0.125 + q;
    if (a > b) i *= 0.5; else j *= 0.5;
    if (n % 3 == 0) { k = l - m; o = p + q; }
  }
  return a + b + c + d + e + f + g + h + i + j + k + l + m + o + p + q;
}

int main(void) {
  uint32_t state[16];
  unsigned char bytes[100];
  for (int i = 0; i < 16; i++) state[i] = (uint32_t)i * 0x9e3779b9u;
  for (int i = 0; i < 100; i++) bytes[i] = (unsigned char)(i * i + 3);
  rounds(state, 200);
  printf("%08x %08x %d %.6f\n", state[0], state[15], leaf(bytes, 100), doubles(1, 2, 3, 4, 5, 6, 7, 8, 40));
  return 0;
}
