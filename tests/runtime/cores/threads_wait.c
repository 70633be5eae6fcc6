// -pthread
// Threads wait, each at a known instruction, some deep down, when one aborts. The
// condition variables make sure of it: whoever holds the lock knows that the others are
// inside the call that released it.
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int total;

__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i % 3 ? i : -i;
  return sum;
}
__attribute__((noinline)) static void wait_below(int depth) {
  if (depth == 0) {
    pthread_cond_signal(&arrived);
    pthread_cond_wait(&never, &lock);
  } else {
    wait_below(depth - 1);
  }
  total += depth;
}
static void *run(void *argument) {
  int n = (int)(long)argument;
  pthread_mutex_lock(&lock);
  total += work(100 * n);
  if (n == 4) {  // ends as it should: its counts are in no thread any more
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return NULL;
  }
  wait_below(n);
  return NULL;
}
__attribute__((noinline)) static void leap(jmp_buf back, int depth) {
  if (depth == 0) longjmp(back, 1);
  leap(back, depth - 1);
  total++;
}
__attribute__((noinline)) static void fall(int depth) {
  if (depth == 0) abort();
  fall(depth - 1);
  total++;
}

int main(void) {
  jmp_buf back;
  pthread_mutex_lock(&lock);
  for (long i = 1; i <= 6; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, (void *)i);
    pthread_cond_wait(&arrived, &lock);
    if (i == 4) {
      pthread_mutex_unlock(&lock);
      pthread_join(thread, NULL);
      pthread_mutex_lock(&lock);
    }
    if (setjmp(back) == 0) leap(back, (int)i);
  }
  fall(3);
  return total;
}
