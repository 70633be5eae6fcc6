/* Branches, switches, loops and calls of every kind, interrupted before each instruction of `watched`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int seen;

__attribute__((noinline)) int helper(int n) { return n > 2 ? n * 3 : n == 1 ? -n : n + 1; }

static void on_signal(int number) { seen += helper(seen & 3) + (number == SIGUSR1); }

__attribute__((noinline)) static int leaf(int n) {
  if (n < 0) return -1;
  if (n == 3) return 4;
  if (n == 5) return helper(n);
  return n;
}

__attribute__((noinline)) int deep(int n) { return n <= 0 ? leaf(n) : deep(n - 1) + (n & 1 ? 1 : leaf(n)); }

__attribute__((noinline)) int other(int n) { return n % 3 == 0 ? n : -n; }

__attribute__((noinline)) int jumps(int n) { return n & 1 ? other(n + 1) : deep(n); }

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}

__attribute__((noinline)) static int chosen(int n) {
  switch (n) {
    case 0: return 7;
    case 1: return helper(1);
    case 2: return n + (seen == -1);
    case 3: return leaf(5) * 2;
    case 4: return -n;
    case 5: return deep(2);
    case 6: return 12 ^ n;
    default: return 0;
  }
}

__attribute__((noinline)) int watched(int n, int (*by_pointer)(int)) {
  int sum = 0, values[3] = {5, 1, 3};
  for (int i = 0; i < n; i++) {
    if (i % 2 == 0) {
      sum += i;
      if (sum > 9 && i % 3 != 0) sum -= 2;
    } else if (i > 4) {
      continue;
    }
    sum += chosen(i) + by_pointer(i);
    while (sum > 30) sum -= 7;
  }
  qsort(values, 3, sizeof values[0], compare);
  return jumps(sum) + jumps(3) + values[0];
}

int main(void) {
  signal(SIGUSR1, on_signal);
  int before = watched(3, leaf);
  int sum = watched(8, other);
  printf("%d %d\n", before, sum);
  return seen < 0;
}
