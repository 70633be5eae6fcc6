// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// setjmp that returns many times, longjmp out of any number of frames.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf outer, inner;

__attribute__((noinline)) static void leap(int depth, int value) {
  if (depth == 0) longjmp(value % 3 ? outer : inner, value);
  leap(depth - 1, value);
  printf("unreached\n");
}

__attribute__((noinline)) static int attempt(int value) {
  volatile int tries = 0;
  int got = setjmp(inner);
  tries++;
  if (got == 0) leap(value % 5, value);
  return got * 100 + tries;
}

__attribute__((noinline)) static int rounds(int n) {
  volatile int i = 0, sum = 0;
  int got = setjmp(outer);
  if (got != 0) sum += got;
  while (i < n) {
    i++;
    sum += attempt(i);
  }
  return sum;
}

__attribute__((noinline)) static int counted(jmp_buf where, int times) {
  volatile int left = times;
  int seen = _setjmp(where);
  if (left-- > 0) longjmp(where, seen + 1);
  return seen;
}

int main(void) {
  jmp_buf local;
  printf("%d\n", rounds(50));
  printf("%d %d\n", counted(local, 20), counted(local, 0));
  return 0;
}
