// Recursion: direct, mutual, by way of pointers; and call sites of one function told apart.
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i ^ sink;
  return sum;
}
NOINLINE int direct(int n) { return n <= 0 ? leaf(3) : direct(n - 1) + leaf(n) + direct(n - 2); }
NOINLINE int odd(int n);
NOINLINE int even(int n) { return n == 0 ? leaf(1) : odd(n - 1) + 1; }
NOINLINE int odd(int n) { return n == 0 ? leaf(2) : even(n - 1) + leaf(4); }
struct tree { struct tree *left, *right; int (*visit)(struct tree *, int); };
NOINLINE int walk(struct tree *t, int depth) {
  if (t == NULL) return leaf(depth);
  return t->visit(t->left, depth + 1) + t->visit(t->right, depth + 2);
}
NOINLINE int other(struct tree *t, int depth) { return walk(t, depth) + leaf(depth); }
int main(void) {
  struct tree nodes[7];
  for (int i = 0; i < 7; i++)
    nodes[i] = (struct tree){2 * i + 1 < 7 ? nodes + 2 * i + 1 : NULL, 2 * i + 2 < 7 ? nodes + 2 * i + 2 : NULL, i % 3 ? walk : other};
  int sum = direct(6) + even(9) + odd(8) + leaf(5) + leaf(6);
  for (int i = 0; i < 3; i++) sum += walk(nodes, i);
  printf("%d\n", sum);
  return 0;
}
