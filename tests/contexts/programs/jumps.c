// longjmp across recursion and libraries, setjmp in a loop, tail calls, signals and a handler that jumps.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static jmp_buf back;
static sigjmp_buf out;
static volatile int ticks, sink;
NOINLINE int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink + i;
  return sum;
}
NOINLINE void deep(int n) {
  work(n);
  if (n == 0) longjmp(back, 1);
  deep(n - 1);
  sink++;
}
NOINLINE int other_deep(int n) { return n == 0 ? (longjmp(back, 2), 0) : other_deep(n - 1) + work(1); }
static int jumping(const void *a, const void *b) {
  (void)b;
  work(2);
  if (*(const int *)a == 3) other_deep(4);
  return -1;
}
NOINLINE int tried(int n) {
  int a[5] = {1, 2, 3, 4, 5};
  switch (setjmp(back)) {
    case 0: deep(n); break;
    case 1: qsort(a, 5, sizeof *a, jumping); break;
    default: return work(n);
  }
  return 0;
}
NOINLINE int last(int n) { return work(n) + 1; }
NOINLINE int middle(int n) { return n & 1 ? last(n) : work(n); }
NOINLINE int first(int n) { sink = n; return middle(n + 1); }
static int tries(const void *a, const void *b) { (void)a; (void)b; return tried(2); }
static int tail_called_back(const void *a, const void *b) { (void)b; return first(*(const int *)a); }
static void on_signal(int number) {
  (void)number;
  ticks += work(3);
}
static void on_signal_jump(int number) {
  (void)number;
  work(2);
  siglongjmp(out, 1);
}
NOINLINE int interrupted(int n) {
  raise(SIGUSR1);
  return work(n);
}
NOINLINE int jumped_out(void) {
  if (sigsetjmp(out, 1) == 0) interrupted(raise(SIGUSR2));
  return interrupted(2);
}
int main(void) {
  signal(SIGUSR1, on_signal);
  signal(SIGUSR2, on_signal_jump);
  int sum = 0, a[6] = {3, 1, 2, 5, 4, 0};
  for (int i = 0; i < 4; i++) sum += tried(i) + first(i) + middle(i);
  qsort(a, 6, sizeof *a, tail_called_back);
  qsort(a, 6, sizeof *a, tries);  // the same jumps again and again, in two contexts
  qsort(a, 6, sizeof *a, tries);
  for (int i = 0; i < 3; i++) sum += interrupted(i) + jumped_out();
  printf("%d %d\n", sum, ticks);
  return 0;
}
