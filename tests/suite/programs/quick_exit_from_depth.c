// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// quick_exit from many calls deep, whose handlers run counted code.
#include <stdio.h>
#include <stdlib.h>

static int seen;
__attribute__((noinline)) static int weigh(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i & n;
  return sum;
}
static void last(void) {
  printf("last %d\n", weigh(seen));
  fflush(stdout);
}
static void first(void) { printf("first %d\n", weigh(10)); }

__attribute__((noinline)) static int visit(int depth, int *left) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    seen++;
    if (--*left == 0) quick_exit(4);
    sum += depth < 4 ? visit(depth + 1, left) : weigh(i);
  }
  return sum;
}

int main(void) {
  int left = 100;
  at_quick_exit(last);
  at_quick_exit(first);
  printf("%d\n", visit(0, &left));
  return 0;
}
