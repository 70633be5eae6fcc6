// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// A fatal signal in the middle of everything: what was counted so far survives.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int visit(int depth, int *budget) {
  int sum = depth;
  for (int i = 0; i < 4; i++) {
    if (--*budget == 0) {
      fflush(stdout);
      abort();
    }
    sum += depth < 5 ? visit(depth + 1, budget) : i;
  }
  return sum;
}

int main(void) {
  int budget = 777;
  printf("start\n");
  printf("%d\n", visit(0, &budget));
  return 0;
}
