// Calls where no register is free: whoever calls `watched` may be elsewhere and want all that it does not change.
static volatile unsigned seven = 7;
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif
ALONE unsigned leaf(unsigned x) {
  __asm__ volatile("");
  return x * 3 + 1;
}
ALONE unsigned watched(unsigned x) {
  unsigned y = leaf(x);
  return y + leaf(y + 1);
}
// That it keeps all of them shows that none is reserved for something else.
ALONE unsigned keeps(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f) {
  unsigned x = leaf(a), y = leaf(b), z = leaf(c);
  return (x ^ y ^ z) + a + b + c + d + e + f;
}

int main(void) { return watched(seven) + keeps(1, 2, 3, 4, 5, seven) == 0; }
