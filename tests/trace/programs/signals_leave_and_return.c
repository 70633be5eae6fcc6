/* Handlers of signals: that return, that run traced code, also that which was interrupted, that leave by
 * siglongjmp, one within the other; and what is called from code that is not traced. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int seen;
static sigjmp_buf out;

__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i % 3 == 0 ? i : -i;
  return sum;
}

static void on_signal_first(int number) {
  seen += work(number % 7);
  if (number == SIGUSR1) raise(SIGUSR2);
}

static void on_signal_second(int number) {
  seen += work(5) + number;
  if (seen % 2 != 0) siglongjmp(out, 2);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

__attribute__((noinline)) static int attempt(int n) {
  if (sigsetjmp(out, 1) != 0) return -1;
  seen += n;
  raise(n % 2 == 0 ? SIGUSR1 : SIGUSR2);
  return work(n);
}

int main(void) {
  signal(SIGUSR1, on_signal_first);
  struct sigaction action = {.sa_handler = on_signal_second}, old;
  sigaction(SIGUSR2, &action, &old);
  sigaction(SIGUSR2, NULL, &old);
  int values[] = {9, 3, 7, 1, 8}, sum = old.sa_handler == on_signal_second;
  for (int n = 0; n < 6; n++) sum = sum * 3 + attempt(n);
  qsort(values, 5, sizeof values[0], compare);
  printf("%d %d %d\n", sum, seen, values[0]);
  signal(SIGUSR1, SIG_DFL);
  exit(work(4) & 3);
}
