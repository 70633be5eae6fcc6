// A jump that lets in a signal whose handler jumps again: to the same activation, or further out.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf close_by, far_out;
static volatile int handled;

static void on_signal(int number) {
  (void)number;
  if (handled++ % 2 != 0) siglongjmp(far_out, 1);
  siglongjmp(close_by, 1);
}

__attribute__((noinline)) static void inner(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  raise(SIGUSR1);
  siglongjmp(close_by, 1);
}

__attribute__((noinline)) static int middle(int n) {
  if (sigsetjmp(close_by, 1) == 0) inner();
  return n + 1;
}

int main(void) {
  volatile int sum = 0;
  signal(SIGUSR1, on_signal);
  for (volatile int i = 0; i < 5; i++) {
    if (sigsetjmp(far_out, 1) == 0)
      sum += middle(i);
    else
      sum += 100;
  }
  printf("%d %d\n", sum, handled);
  return 0;
}
