// Vector code written by hand: every xmm register is somebody's.
#include <emmintrin.h>
#include <stdio.h>

__attribute__((noinline)) static int find_byte(const unsigned char *p, int n, unsigned char wanted) {
  __m128i key = _mm_set1_epi8((char)wanted);
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(p + i)), key));
    if (mask) return i + __builtin_ctz((unsigned)mask);
  }
  for (; i < n; i++)
    if (p[i] == wanted) return i;
  return -1;
}

// Sixteen running sums, more than there are registers beside the operands.
__attribute__((noinline)) static long many_sums(const int *p, int n) {
  __m128i s[14];
  for (int k = 0; k < 14; k++) s[k] = _mm_setzero_si128();
  for (int i = 0; i + 56 <= n; i += 56)
    for (int k = 0; k < 14; k++) s[k] = _mm_add_epi32(s[k], _mm_loadu_si128((const __m128i *)(p + i + 4 * k)));
  long total = 0;
  for (int k = 0; k < 14; k++) {
    int part[4];
    _mm_storeu_si128((__m128i *)part, s[k]);
    total += part[0] + 2L * part[1] + 3L * part[2] + 4L * part[3];
  }
  return total;
}

__attribute__((noinline)) static __m128d horner(__m128d x, const double *c, int n) {
  __m128d r = _mm_set1_pd(0);
  for (int i = n; i-- > 0;) r = _mm_add_pd(_mm_mul_pd(r, x), _mm_set1_pd(c[i]));
  return r;
}

int main(void) {
  unsigned char bytes[200];
  int ints[560];
  for (int i = 0; i < 200; i++) bytes[i] = (unsigned char)(i * 3);
  for (int i = 0; i < 560; i++) ints[i] = i * i % 1009;
  for (int w = 0; w < 256; w += 5) printf("%d ", find_byte(bytes, 199, (unsigned char)w));
  double c[] = {1, -0.5, 0.25, 3, -2}, r[2];
  _mm_storeu_pd(r, horner(_mm_set_pd(0.5, -1.25), c, 5));
  printf("\n%ld %.6f %.6f\n", many_sums(ints, 560), r[0], r[1]);
  return 0;
}
