// suite-compilers: gcc
// suite-may-skip: early
// suite-except: callsites   (a goto out of a nested function is noted)
// Nested functions take a static chain in %r10, which probes must leave alone.
#include <stdio.h>
#include <stdlib.h>

static int visit(int n, int (*each)(int)) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += each(i);
  return sum;
}

__attribute__((noinline)) static int outer(int n, int limit) {
  int calls = 0, over = 0;
  __attribute__((noinline)) int inner(int depth) {
    calls++;
    if (depth > limit) over++;
    return depth <= 0 ? n : inner(depth - 1) + calls % 3;
  }
  int sum = inner(n);
  for (int i = 0; i < 4; i++) sum += inner(i);
  return sum * 100 + over;
}

__attribute__((noinline)) static int early(int n) {
  __label__ done;
  int last = 0;
  __attribute__((noinline)) void step(int i) {
    last = i;
    if (i * i > n) goto done;
  }
  for (int i = 0; i < 1000; i++) step(i);
done:
  return last;
}

static int square(int i) { return i * i; }

int main(void) {
  printf("%d %d %d\n", outer(12, 5), early(50), visit(20, square));
  return 0;
}
