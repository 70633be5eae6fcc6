// Several names for one function, weak ones, one in a section of its own.
#include <stdio.h>

int original(int n) {
  int r = 0;
  while (n > 0) {
    r = r * 10 + n % 10;
    n /= 10;
  }
  return r;
}
int alias(int n) __attribute__((alias("original")));
int weak_alias(int n) __attribute__((weak, alias("original")));
__attribute__((weak)) int replaceable(int n) { return n * 2; }
extern int absent(int n) __attribute__((weak));
__attribute__((section(".text.elsewhere"), noinline)) static int elsewhere(int n) { return n % 3 ? n : -n; }
__attribute__((visibility("hidden"))) int hidden(int n) { return n + elsewhere(n); }


// The caller keeps values in registers that the function, known by its alias, leaves alone.
__attribute__((noinline)) unsigned bits_added(unsigned x) {
  unsigned sum = 0;
  do sum += x;
  while (x >>= 1);
  return sum;
}
static unsigned bits_added_too(unsigned x) __attribute__((alias("bits_added")));
__attribute__((noinline)) static unsigned keep(unsigned a, unsigned b, unsigned c, unsigned d) {
  if (a & 1) b += bits_added_too(a);
  return bits_added_too(b) * a + b * c + bits_added_too(d) * d;
}

int main(void) {
  int sum = 0;
  for (unsigned i = 0; i < 9; i++) sum += (int)keep(i, i * 3, i * 5 + 1, i + 7);
  for (int i = 0; i < 20; i++) sum += original(i * 7) + alias(i) - weak_alias(i * 3) + replaceable(i) + hidden(i);
  if (absent) sum += absent(3);
  printf("%d\n", sum);
  return 0;
}
