/* Faults in the middle of a path: handlers run counted code, also that which was interrupted, and
 * go back behind the instruction (privileged, of one byte), leap out of it, or fault themselves. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static sigjmp_buf outside;
static volatile int depth, seen;

__attribute__((noinline)) static int work(int n, int faults) {
  int sum = n % 2 ? n : -n;
  if (faults > 0) __asm__ volatile("cli" ::: "memory");
  for (int i = 0; i < n % 3; i++) sum += i;
  if (faults > 1) __asm__ volatile("cli" ::: "memory");
  return n > 2 ? sum + 1 : sum;
}
static void on_fault(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  depth++;
  seen += work(depth + 2, depth == 1 && seen % 2);  /* may fault once more */
  depth--;
  if (depth == 0 && seen % 3 == 0) siglongjmp(outside, 1);
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 1;
}
__attribute__((noinline)) static int attempt(int n) {
  volatile int result = n;
  if (sigsetjmp(outside, 1) == 0)
    result += work(n, n % 3);
  else
    result -= 100;
  return result;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  int sum = 0;
  for (int n = 0; n < 10; n++) sum = sum * 3 + attempt(n);
  printf("%d %d\n", sum, seen);
  return 0;
}
