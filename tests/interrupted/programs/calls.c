// Functions that count no entries of their own: their callers do.
static volatile unsigned seven = 7, five = 5;
__attribute__((noinline)) static unsigned leaf(unsigned x) {
  __asm__ volatile("");
  return x * 3 + 1;
}
__attribute__((noinline)) static unsigned branch(unsigned x) {
  __asm__ volatile("");
  if (x & 1) return leaf(x) >> 1;
  return leaf(x + 2) + 5;
}
__attribute__((noinline)) static unsigned watched(unsigned x, unsigned n) {
  __asm__ volatile("");
  for (unsigned i = 0; i < n; ++i) x ^= branch(x + i) + leaf(i);
  return branch(x) ^ 1;
}

int main(void) { return watched(seven, five) == 0; }
