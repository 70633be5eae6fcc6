// Callbacks by way of libraries, which are passed over; a call through many pointers; exit at depth.
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
NOINLINE int key_of(int x) { return (x * 7) % 31; }
NOINLINE int slow_key(int x) { return key_of(x) + key_of(x + 1); }
static int by_key(const void *a, const void *b) { return key_of(*(const int *)a) - key_of(*(const int *)b); }
static int by_slow_key(const void *a, const void *b) { return slow_key(*(const int *)a) - slow_key(*(const int *)b); }
NOINLINE void sort(int *a, int n, int slow) { qsort(a, n, sizeof *a, slow ? by_slow_key : by_key); }
static void *root;
static int nodes;
static void visit(const void *node, VISIT which, int depth) {
  (void)depth;
  if (which == postorder || which == leaf) nodes += key_of(**(int **)node);
}
NOINLINE void nested(int n) {  // a library calls back what calls a library that calls back
  int a[12];
  for (int i = 0; i < 12; i++) a[i] = (i * 5 + n) % 12;
  sort(a, 12, n & 1);
}
static int comparing_by_sorting(const void *a, const void *b) {
  nested(*(const int *)a);
  return *(const int *)a - *(const int *)b;
}
NOINLINE int f0(int x) { return x + 1; }
NOINLINE int f1(int x) { return key_of(x); }
NOINLINE int f2(int x) { return slow_key(x); }
NOINLINE int f3(int x) { return f1(x) + f2(x); }
NOINLINE void finish(int depth) {
  if (depth > 3) exit(key_of(depth));
  finish(depth + 1);
  puts("never");
}
static void at_exit(void) { printf("%d\n", slow_key(2)); }
int main(void) {
  int a[40], b[5] = {4, 2, 0, 3, 1}, sum = 0;
  atexit(at_exit);
  for (int i = 0; i < 40; i++) a[i] = (i * 17) % 40;
  sort(a, 40, 0);
  sort(a, 40, 1);
  qsort(b, 5, sizeof *b, comparing_by_sorting);
  for (int i = 0; i < 10; i++) tsearch(a + i, &root, by_key);
  twalk(root, visit);
  int (*const all[])(int) = {f0, f1, f2, f3};
  for (int i = 0; i < 50; i++) sum += all[(i * i) % 4](i) + all[i % 4](i);
  printf("%d %d %d\n", a[3], sum, nodes);
  finish(0);
}
