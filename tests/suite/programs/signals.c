// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// Handlers that run counted code, called synchronously so that counts are certain.
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t seen;
__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i % 3 ? i : -i;
  return sum;
}
static void handler(int number) {
  seen += work(number);
  if (number == SIGUSR1) raise(SIGUSR2);
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGUSR2, handler);
  for (int i = 0; i < 7; i++) raise(i % 2 ? SIGUSR1 : SIGUSR2);
  printf("%d\n", (int)seen);
  return 0;
}
