// Frames of every kind: variadic functions, arrays of variable length, aligned locals, nested functions, computed jumps; what runs before and
// after main and as threads begin and end; jumps out of callbacks in callbacks, and a handler on a stack of its own that sorts.
// link: -pthread
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink + i;
  return sum;
}
NOINLINE int variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  for (int i = 0; i < n; i++) sum += work(va_arg(list, int));
  va_end(list);
  return sum;
}
NOINLINE int of_any_length(int n) {
  int room[n + 1];
  for (int i = 0; i <= n; i++) room[i] = work(i & 1);
  return room[n] + (n > 0 ? of_any_length(n - 1) : 0);
}
NOINLINE int aligned_locals(int n) {
  int room[16] __attribute__((aligned(64)));
  for (int i = 0; i < 16; i++) room[i] = work(n) + i;
  return room[n & 15] + ((uintptr_t)room % 64 != 0);
}
struct large { long word[9]; };
NOINLINE struct large by_memory(struct large x, int n) {
  x.word[n % 9] += work(n);
  return x;
}
NOINLINE int computed(int n) {
  static void *const to[] = {&&one, &&two, &&end};
  int sum = 0;
  goto *to[n % 3];
one:
  sum += work(1);
two:
  sum += work(2);
end:
  return sum;
}
#ifndef __clang__
NOINLINE int apply(int (*call)(int), int n) { return call(n) + call(n + 1); }
NOINLINE int nested(int n) {
  int inner(int x) { return work(x + n); }
  return apply(inner, n);
}
#else
NOINLINE int nested(int n) { return work(n); }
#endif
static jmp_buf out;
static int depth;
NOINLINE int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (depth > 0 && work(x & 1) == 0 && x == 7) longjmp(out, 1 + y);
  return x < y ? -1 : x > y;
}
NOINLINE int searching(const void *key, const void *element) {
  int copy[5] = {5, 3, 7, 1, 2};
  ++depth;
  qsort(copy, 5, sizeof *copy, compare);
  --depth;
  return *(const int *)key - *(const int *)element;
}
NOINLINE int jumps(int key) {
  volatile int times = 0;
  static const int table[4] = {1, 2, 3, 4};
  while (setjmp(out) != 0) ++times;
  depth = times < 3 ? 0 : -100;
  const int *found = bsearch(&key, table, 4, sizeof *table, searching);
  return times + (found != NULL);
}
static char other_memory[1 << 16];
static volatile int signals;
static void on_signal(int number) {
  int some[4] = {4, 2, number, 1};
  qsort(some, 4, sizeof *some, compare);
  signals += work(2) + some[0];
  if (signals < 0) raise(SIGUSR2);
}
NOINLINE void with_handlers(void) {
  stack_t other = {.ss_sp = other_memory, .ss_size = sizeof other_memory};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  depth = -100;
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 3; i++) {
    raise(SIGUSR1);
    sink += work(i) & 0;
  }
}
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
NOINLINE void begins_once(void) { work(3); }
NOINLINE void of_key(void *p) { work((int)(intptr_t)p); }
NOINLINE void cleans_up(void *p) { work((int)(intptr_t)p + 1); }
static void *run(void *p) {
  pthread_once(&once, begins_once);
  pthread_setspecific(key, p);
  pthread_cleanup_push(cleans_up, p);
  work(2);
  pthread_cleanup_pop(1);
  return p;
}
__attribute__((constructor)) static void before_main(void) { sink += work(2) & 0; }
__attribute__((destructor)) static void after_main(void) { sink += work(4) & 0; }
static void at_exit(void) { sink += variadic(2, 1, 2) & 0; }
int main(void) {
  struct large x = {{1}};
  atexit(at_exit);
  pthread_key_create(&key, of_key);
  int sum = variadic(3, 1, 2, 3) + of_any_length(4) + aligned_locals(3) + nested(2);
  for (int i = 0; i < 4; i++) sum += computed(i) + (int)by_memory(x, i).word[i];
  sum += jumps(2) + jumps(3);
  with_handlers();
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    pthread_create(threads + i, NULL, run, (void *)(intptr_t)(i + 1));
    pthread_join(threads[i], NULL);
  }
  printf("%d %d\n", sum, signals);
  return 0;
}
