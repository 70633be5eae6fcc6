// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// suite-oracle: step
// Handlers that leave by siglongjmp, out of any depth, on the thread's own stack and on
// another, after signals that were sent and after faults. A fault ends a block in the
// middle, and callgrind, which counts a block when it leaves it, loses what had run.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
static volatile sig_atomic_t handled;

__attribute__((noinline)) static void leave(int depth, int number) {
  if (depth == 0) siglongjmp(back, number);
  leave(depth - 1, number);
  handled += 1000;
}
static void handler(int number) {
  handled++;
  leave(number % 4, number);
}
__attribute__((noinline)) static int trip(int n, int number) {
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    sum += i;
    if (i == n) raise(number);
  }
  return sum;
}
__attribute__((noinline)) static int stumble(volatile int *where, int n) {
  int sum = 0;
  for (int i = 0; i <= n; i++) {
    volatile int *place = i == n ? where : &sum;
    sum += i;
    *place = sum * 3;
    sum ^= *place;
  }
  return sum;
}
__attribute__((noinline)) static int guarded_fault(volatile int *where, int n) {
  int got = sigsetjmp(back, 1);
  if (got != 0) return -got;
  return stumble(where, n) + 1;
}
__attribute__((noinline)) static int guarded(int n, int number) {
  int got = sigsetjmp(back, 1);
  if (got != 0) return -got;
  return trip(n, number);
}

int main(void) {
  static char stack[65536];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = handler};
  int numbers[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGHUP, SIGSEGV};
  long sum = 0;
  sigaltstack(&other, NULL);
  for (int round = 0; round < 2; round++) {
    action.sa_flags = round ? SA_ONSTACK : 0;
    for (int i = 0; i < 5; i++) sigaction(numbers[i], &action, NULL);
    for (int n = 0; n < 12; n++) sum = sum * 3 + guarded(n, numbers[n % 4]);
    for (int n = 0; n < 6; n++) sum = sum * 3 + guarded_fault(n % 3 ? NULL : (volatile int *)stack, n);
  }
  printf("%ld handled %d\n", sum, (int)handled);
  return 0;
}
