// flags: -pthread
// Threads that run the same functions at once, each with exceptions of its own, and end in
// different ways; the counts of paths do not depend on how they take turns.
#include <pthread.h>

#include <cstdio>

__attribute__((noinline)) static int check(int n, int thread) {
  if (n % 4 == 3) throw thread;
  return n % 2 ? n + thread : n;
}
__attribute__((noinline)) static int collect(int rounds, int thread) {
  int sum = 0;
  for (int i = 0; i < rounds; i++) {
    try {
      sum += check(i, thread);
    } catch (int value) {
      sum -= value;
    }
  }
  return sum;
}
__attribute__((noinline)) static void leave(int thread, void *result) {
  if (thread % 2) pthread_exit(result);  // collect's caller is left in the middle of a path
}
static void *run(void *argument) {
  int thread = *static_cast<int *>(argument);
  *static_cast<int *>(argument) = collect(6 + thread, thread);
  leave(thread, argument);
  return argument;
}

int main() {
  int values[3] = {1, 2, 3};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], nullptr, run, &values[i]);
  int sum = collect(5, 9);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (int value : values) sum = sum * 7 + value;
  std::printf("%d\n", sum);
}
