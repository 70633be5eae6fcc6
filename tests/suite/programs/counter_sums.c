// Registers that go up, or down, in several places of a loop, by one step or by several, and not in
// every round: partitioning, merging, decoding. What they tell is a sum of counts.
#include <stdio.h>
#include <string.h>
static unsigned noise = 1;
static unsigned next(void) { return noise = noise * 1103515245u + 12345u, noise >> 16; }

// Three-way partition, as sorting suffixes does it.
__attribute__((noinline)) long partition(unsigned char *a, long low, long high, unsigned char pivot) {
  long equal_low = low, equal_high = high, from = low, to = high;
  for (;;) {
    while (from <= to) {
      int order = a[from] - pivot;
      if (order == 0) {
        unsigned char t = a[from];
        a[from] = a[equal_low];
        a[equal_low++] = t;
        from++;
        continue;
      }
      if (order > 0) break;
      from++;
    }
    while (from <= to) {
      int order = a[to] - pivot;
      if (order == 0) {
        unsigned char t = a[to];
        a[to] = a[equal_high];
        a[equal_high--] = t;
        to--;
        continue;
      }
      if (order < 0) break;
      to--;
    }
    if (from > to) break;
    unsigned char t = a[from];
    a[from++] = a[to];
    a[to--] = t;
  }
  return (from - low) * 1000 + (high - to) + equal_low - equal_high;
}

__attribute__((noinline)) long merge(const int *a, const int *end_a, const int *b, const int *end_b, int *to) {
  int *start = to;
  while (a != end_a && b != end_b) {
    if (*a < *b) {
      *to++ = *a++;
    } else if (*a > *b) {
      *to++ = *b++;
    } else {
      a++;
      b++;
    }
  }
  return to - start;
}

// One to four bytes each.
__attribute__((noinline)) long decode(const unsigned char *p, const unsigned char *end) {
  long sum = 0, odd = 0;
  while (p < end) {
    if (*p < 0x80) {
      sum += *p;
      p += 1;
    } else if (*p < 0xc0) {
      sum ^= p[1];
      p += 2;
      odd += 3;
    } else if (*p < 0xe0) {
      p += 3;
    } else {
      sum += odd;
      p += 4;
      odd -= 1;
    }
  }
  return sum + odd;
}

// Down and up by turns; every sum of steps may be zero.
__attribute__((noinline)) int wander(const unsigned char *p, const unsigned char *end) {
  int height = 0, deepest = 0;
  for (; p != end; p++) {
    if (*p & 1) {
      height++;
    } else if (*p & 2) {
      height--;
    }
    if (height < deepest) deepest = height;
  }
  return height * 100 + deepest;
}

int main(void) {
  unsigned char bytes[1200];
  int a[200], b[200], merged[400];
  long sum = 0;
  for (int round = 0; round < 20; round++) {
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(next() % 251);
    memset(bytes + 1190, 0, 10);
    sum += decode(bytes, bytes + 1190) + wander(bytes, bytes + sizeof bytes);
    sum += partition(bytes, 0, 1000, (unsigned char)(next() % 200));
    for (int i = 0; i < 200; i++) {
      a[i] = (i == 0 ? 0 : a[i - 1]) + (int)(next() % 4);
      b[i] = (i == 0 ? 0 : b[i - 1]) + (int)(next() % 4);
    }
    sum += merge(a, a + 200, b, b + 200, merged);
  }
  printf("%ld\n", sum);
  return 0;
}
