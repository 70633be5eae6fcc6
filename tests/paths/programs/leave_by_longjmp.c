/* longjmp over several frames, out of loops, into a frame that is left by longjmp itself, and back to
 * one place again and again. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf outer, inner;

__attribute__((noinline)) static int deep(int n, int how) {
  for (int i = 0; i < n; i++)
    if (i == how) longjmp(inner, i + 1);
  if (n > 3) longjmp(outer, n);
  return n;
}
__attribute__((noinline)) static int between(int n, int how) {
  int sum = how % 2 ? 1 : 2;
  sum += deep(n, how);
  return sum + (n % 2 ? deep(n - 1, 9) : 0);
}
__attribute__((noinline)) static int near(int n) {
  volatile int tries = 0, sum = 0;
  int came = setjmp(inner);
  sum += came;
  if (tries++ < 3) sum += between(n, tries);
  return sum;
}
__attribute__((noinline)) static int far(int n) {
  volatile int sum = 0;
  switch (setjmp(outer)) {
    case 0:
      sum = near(n);
      break;
    case 4:
      sum = -4;
      break;
    default:
      sum = -9;
  }
  return sum;
}

int main(void) {
  int sum = 0;
  for (int n = 0; n < 7; n++) sum = sum * 3 + far(n);
  printf("%d\n", sum);
  return 0;
}
