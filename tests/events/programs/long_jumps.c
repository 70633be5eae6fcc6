/* A call that does not return, and one that returns again and again. */
#include <setjmp.h>

#include "../query.h"

static jmp_buf place;
static volatile int rounds;

static __attribute__((noinline)) void deep(int n) {
  for (int i = 0; i < n; ++i) rounds += i & 1;
  if (n == 0) {
    QUERY(0);
    longjmp(place, 1);
  }
  deep(n - 1);
  rounds += 100; /* never */
}

static __attribute__((noinline)) int attempt(int times) {
  volatile int tries = 0;
  int value = setjmp(place);
  QUERY(0);
  if (value != 0) {
    rounds ^= 3;
    ++tries;
  }
  if (tries < times) {
    if (tries & 1) rounds += 2;
    deep(3 + tries);
  }
  return tries;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += attempt(i + 1);
    QUERY(0);
  }
  return sum == 6 ? 0 : 1;
}
