// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// The process ends many calls deep; functions that never return end blocks.
#include <stdio.h>
#include <stdlib.h>

static int opened;
static void close_all(void) { printf("closing %d\n", opened); }

__attribute__((noreturn, noinline)) static void fail(const char *why, int code) {
  printf("failed: %s\n", why);
  exit(code);
}
__attribute__((noinline)) static int check(int value, int limit) {
  if (value > limit) fail("too large", value % 100);
  opened++;
  return value;
}
__attribute__((noinline)) static int descend(int depth, int sum) {
  for (int i = 0; i < 3; i++) sum += check(depth * 10 + i, 170);
  return depth > 100 ? sum : descend(depth + 1, sum) + 1;
}

int main(void) {
  atexit(close_all);
  int result = 0;
  for (int i = 0; i < 10; i++) result += descend(i, result);
  printf("not reached %d\n", result);
  return 0;
}
