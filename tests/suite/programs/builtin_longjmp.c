// suite-except: unwind-free callsites   (frames are found by unwinding; what calls took is said to be inexact)
// suite-may-skip: catch_far catch_near main
// __builtin_longjmp, which compilers write as a jump: the frames it leaves are left early, where they
// stood. From a leaf and through two frames, to a buffer that is known and to one that is passed.
#include <stdio.h>
static void *far[5], *near[5];
__attribute__((noinline)) void leap(void) { __builtin_longjmp(far, 1); }
__attribute__((noinline)) int inner(int n) {
  if (n > 7) leap();
  __asm__ volatile("" ::: "memory");
  return n;
}
__attribute__((noinline)) int middle(int n) {
  for (int i = 0; i < n; i++) __asm__ volatile("" ::: "memory");
  if (n > 5) n = inner(n);
  __asm__ volatile("" ::: "memory");
  return n + 1;
}
__attribute__((noinline)) int catch_far(int n) {
  if (__builtin_setjmp(far) == 0) {
    int result = middle(n);
    __asm__ volatile("" ::: "memory");
    return result;
  }
  return -1;
}
__attribute__((noinline)) void hop(void **to) { __builtin_longjmp(to, 1); }
__attribute__((noinline)) int catch_near(void) {
  if (__builtin_setjmp(near) == 0) hop(near);
  return 2;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += catch_far(i) + catch_near();
  printf("%d\n", sum);
  return 0;
}
