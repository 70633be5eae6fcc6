// Calls by name, through pointers, from libraries and by jumps; nothing recurses, so that callgrind's chains are the same (callgrind.py).
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink ^ i;
  return sum;
}
NOINLINE int by_jump(int n) { return leaf(n + 1); }
NOINLINE int low(int n) { return leaf(n) + by_jump(n & 3); }
NOINLINE int high(int n) { return n % 3 == 0 ? low(n) + leaf(1) : low(2) - by_jump(n); }
typedef int function(int);
static function *const functions[] = {leaf, low, high, by_jump};
NOINLINE int through_pointers(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += functions[i % 4](i);
  return sum;
}
static int by_value(const void *a, const void *b) {
  const int left = *(const int *)a, right = *(const int *)b;
  return leaf(left & 1) * 0 + (left > right) - (left < right);
}
static int by_sorting(const void *a, const void *b) {
  int both[] = {*(const int *)a, *(const int *)b, 3};
  qsort(both, 3, sizeof *both, by_value);
  return by_value(a, b);
}
NOINLINE void sort(int *values, int n, int (*compare)(const void *, const void *)) {
  qsort(values, (size_t)n, sizeof *values, compare);
  sink = 0;
}
int main(void) {
  int values[] = {5, 2, 9, 1, 7, 3}, sum = 0;
  sort(values, 6, by_value);
  for (int i = 0; i < 6; i++) values[i] = values[i] * 5 % 7;
  sort(values, 6, by_sorting);
  for (int i = 0; i < 9; i++) sum += high(i) + through_pointers(i);
  printf("%d %d %d\n", sum, values[0], values[5]);
  return 0;
}
