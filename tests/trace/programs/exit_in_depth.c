/* The process ends deep in calls, through functions registered for that, in the middle of a block. */
#include <stdio.h>
#include <stdlib.h>

static int left;

static void at_end(void) {
  for (int i = 0; i < 3; i++) left += i;
  printf("%d\n", left);
}

__attribute__((noinline)) static int deep(int n) {
  left += n;
  if (n == 0) exit(3);
  return deep(n - 1) + left;
}

int main(void) {
  atexit(at_end);
  return deep(5);
}
