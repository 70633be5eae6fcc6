// Indirect calls, callbacks from the C library, tables of functions.
#include <stdio.h>
#include <stdlib.h>

typedef int (*Binary)(int, int);
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int greater(int a, int b) { return a > b ? a : b; }
static int power(int a, int b) {
  int r = 1;
  while (b-- > 0) r *= a;
  return r;
}
static Binary table[] = {add, subtract, greater, power};

static int by_last_digit(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (x % 10 != y % 10) return x % 10 - y % 10;
  return x < y ? -1 : x > y;
}

static int fold(Binary f, const int *values, int n, int start) {
  for (int i = 0; i < n; i++) start = f(start, values[i]);
  return start;
}

static Binary choose(int n) { return n & 1 ? table[n & 3] : greater; }

int main(void) {
  int values[100];
  for (int i = 0; i < 100; i++) values[i] = (i * 7919) % 541;
  qsort(values, 100, sizeof values[0], by_last_digit);
  int key = values[37];
  int *found = bsearch(&key, values, 100, sizeof values[0], by_last_digit);
  printf("%d %d %d\n", values[0], values[99], (int)(found - values));
  for (int i = 0; i < 4; i++) printf("%d ", fold(table[i], values, 4, i + 1));
  int sum = 0;
  for (int i = 0; i < 50; i++) sum += choose(i)(i, i % 4);
  printf("%d\n", sum);
  return 0;
}
