/* A function with 4,096 paths in several contexts: they are as whole there as without contexts, where paths are not cut that are long enough. */
#include <stdio.h>

#define NOINLINE __attribute__((noinline))
static volatile unsigned sink;
NOINLINE static void leaf(unsigned x) {
  if (x & 1) sink += x;
}
#define BIT(i)               \
  if (x >> i & 1) {          \
    leaf(x);                 \
  } else {                   \
    sink ^= i;               \
  }                          \
  sink = sink * 3 + i;       \
  sink ^= x;                 \
  sink += i;
NOINLINE unsigned wide(unsigned x) {
  BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11)
  return x + 1;
}
NOINLINE void one(unsigned x) {
  sink += wide(x);
  sink += wide(x ^ 1365);
}
NOINLINE void other(unsigned x) {
  for (unsigned i = 0; i < 3; i++) sink ^= wide(x * i);
}
int main(void) {
  for (unsigned i = 0; i < 12; i++) {
    one(i * 677 & 4095);
    if (i % 3 == 0) other(i * 91);
  }
  printf("%u\n", sink);
  return 0;
}
