// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// _exit from many calls deep: no handler runs, no buffer is written, all is counted.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void never(void) { printf("never printed\n"); }

__attribute__((noinline)) static int visit(int depth, int *left) {
  int sum = depth;
  switch (--*left) {
    case 0: _exit(5);
    case 50: sum += 3; break;
    default: sum += *left & 1;
  }
  for (int i = 0; i < 2; i++) sum += depth < 6 ? visit(depth + 1, left) : i;
  return sum;
}

int main(void) {
  int left = 90;
  atexit(never);
  printf("%d\n", visit(0, &left));
  return 0;
}
