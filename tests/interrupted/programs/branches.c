// Branches inside loops, 32-bit indices, two ways out: counters in dead registers.
__attribute__((noinline)) unsigned watched(unsigned x, unsigned n) {
  unsigned even = 0, odd = 0;
  while (x != 1) {
    if (x & 1) {
      x = 3 * x + 1;
      odd += x >> 1;
    } else {
      x >>= 1;
      even ^= x;
    }
    if (even + odd > n) break;
  }
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned k = 0; k < 3; ++k)
      if ((i ^ k) & 1) even += k * odd;
  return even + odd;
}

int main(void) { return watched(7, 100000) == 0; }
