// Threads, each with a tree of its own; coroutines that take turns.
// link: -pthread
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink + i;
  return sum;
}
NOINLINE int nested(int n) { return n == 0 ? work(1) : nested(n - 1) + work(n); }
static void *even(void *n) { return (void *)(long)nested((int)(long)n); }
static void *odd(void *n) { return (void *)(long)(work((int)(long)n) + nested(2)); }
static ucontext_t main_context, other;
static char stack_of_coroutine[65536];
NOINLINE void yield(void) { work(2); swapcontext(&other, &main_context); }
static void coroutine(void) {
  for (int i = 0; i < 3; i++) {
    nested(i);
    yield();
  }
}
NOINLINE void resume(int n) { work(n); swapcontext(&main_context, &other); }
int main(void) {
  pthread_t threads[6];
  for (long i = 0; i < 6; i++) pthread_create(threads + i, NULL, i % 2 ? odd : even, (void *)i);
  long sum = 0;
  for (int i = 0; i < 6; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  getcontext(&other);
  other.uc_stack.ss_sp = stack_of_coroutine;
  other.uc_stack.ss_size = sizeof stack_of_coroutine;
  other.uc_link = &main_context;
  makecontext(&other, coroutine, 0);
  for (int i = 0; i < 3; i++) resume(i);
  printf("%ld\n", sum + nested(3));
  return 0;
}
