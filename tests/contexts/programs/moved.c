// Coroutines that go on in other threads than they were begun in, and call what was running when they were begun.
// link: -pthread
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline))
enum { COROUTINES = 3 };
static ucontext_t context[COROUTINES], back;
static char stack_a[65536], stack_b[65536], stack_c[65536], *const memory[] = {stack_a, stack_b, stack_c};
static volatile int sink;
static int sum;
NOINLINE void advance(int i, int deep);
NOINLINE int work(int n) {
  int result = 0;
  for (int i = 0; i < n; i++) result += sink + i;
  return result;
}
NOINLINE void pause_here(int i) {
  sum += work(i);
  swapcontext(&context[i], &back);
  sum += work(1);
}
static void body(int i) {
  for (int n = 0; n < 4; n++) {
    sum += work(n);
    pause_here(i);
    if (n == 2) advance(i, 0);  // folded onto the one that began this
  }
}
NOINLINE void begin(int i) {
  getcontext(&context[i]);
  context[i].uc_stack.ss_sp = memory[i];
  context[i].uc_stack.ss_size = sizeof stack_a;
  context[i].uc_link = &back;
  makecontext(&context[i], (void (*)(void))body, 1, i);
  swapcontext(&back, &context[i]);
}
NOINLINE void advance(int i, int deep) {
  if (deep == 2) begin(i);
  if (deep == 1) {
    swapcontext(&back, &context[i]);
    sum++;
  }
  sum += work(2);
}
static void *go_on(void *from) {
  for (int i = (int)(long)from; i < COROUTINES; i++) advance(i, 1);
  return from;
}
int main(void) {
  for (int i = 0; i < COROUTINES; i++) advance(i, 2);
  for (long t = 0; t < 3; t++) {
    pthread_t thread;
    pthread_create(&thread, NULL, go_on, (void *)t);
    pthread_join(thread, NULL);
  }
  go_on((void *)1L);  // the second is left by half, the last ends
  advance(2, 2);      // on a stack that has been used
  printf("%d\n", sum);
  return 0;
}
