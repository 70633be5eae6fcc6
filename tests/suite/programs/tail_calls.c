// Calls in tail position, direct and indirect, conditional and not.
#include <stdio.h>

typedef long (*Step)(long value, int left);
static long halve(long value, int left);
static long triple(long value, int left);
static const Step steps[] = {halve, triple, halve};

__attribute__((noinline)) static long finish(long value, int left) { return value * 10 + left; }
__attribute__((noinline)) static long halve(long value, int left) {
  if (left <= 0) return finish(value, left);
  return steps[(value / 2) % 3](value / 2, left - 1);
}
__attribute__((noinline)) static long triple(long value, int left) {
  if (value > 1000000) return finish(value, left);
  return value % 2 ? halve(3 * value + 1, left - 1) : triple(value + 1, left - 1);
}
__attribute__((noinline)) static int show(const char *what, long value) { return printf("%s %ld\n", what, value); }
__attribute__((noinline)) static int announce(long value) {
  if (value < 0) return show("negative", value);
  if (value == 0) return puts("zero");
  return show("positive", value);
}
__attribute__((noinline)) static void sink(long value) {
  if (value % 3 == 0) announce(value);
}

int main(void) {
  for (long i = -3; i < 9; i++) announce(i * 100 + (i == 0 ? 0 : steps[(i + 3) % 3](i + 9, 25)));
  for (long i = 0; i < 6; i++) sink(i);
  return 0;
}
