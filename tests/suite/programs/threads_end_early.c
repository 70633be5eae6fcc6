// suite-link: -pthread
// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// trace-except: stepping   (through the unwinder that libc loads takes minutes: counts alone)
// Threads that end in the middle: pthread_exit from depth, and cancellation, with cleanups.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int cleaned;
static void tidy(void *argument) { cleaned += *(int *)argument; }

__attribute__((noinline)) static int descend(int depth, int end) {
  if (depth > end) return 0;
  int here = depth + 1;
  pthread_cleanup_push(tidy, &here);
  if (depth == end) pthread_exit((void *)(long)(depth * 10));
  here += descend(depth + 1, end) & 1;
  pthread_cleanup_pop(1);
  return here;
}
static void *leave(void *argument) {
  int end = (int)(long)argument;
  if (end % 3 == 0) return (void *)(long)end;
  return (void *)(long)descend(0, end);
}
__attribute__((noinline)) static void checkpoint(int n) {
  if (n == 5) pthread_cancel(pthread_self());
  if (n % 2) pthread_testcancel();
}
static void *cancelled(void *argument) {
  int weight = (int)(long)argument, twice = 2 * weight;
  pthread_cleanup_push(tidy, &weight);
  for (int i = 0; i < 3; i++) checkpoint(i);
  pthread_cleanup_push_defer_np(tidy, &twice);
  for (int i = 3; i < 100; i++) checkpoint(i);
  pthread_cleanup_pop_restore_np(1);
  pthread_cleanup_pop(0);
  return argument;
}

int main(void) {
  long sum = 0;
  for (long i = 0; i < 8; i++) {
    pthread_t one, two;
    void *result, *end;
    // One after the other: the cleanups share a variable.
    pthread_create(&one, NULL, leave, (void *)i);
    pthread_join(one, &result);
    pthread_create(&two, NULL, cancelled, (void *)i);
    pthread_join(two, &end);
    sum += (long)result + (end == PTHREAD_CANCELED);
  }
  printf("%ld cleaned %d\n", sum, cleaned);
  return 0;
}
