// Recursion: single, double, mutual, and through a function pointer.
#include <stdio.h>

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static int moves;
static void hanoi(int n, int from, int to, int via) {
  if (n == 0) return;
  hanoi(n - 1, from, via, to);
  moves += from * 3 + to;
  hanoi(n - 1, via, to, from);
}

static int place(int n, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == n) return 1;
  int found = 0;
  for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
    unsigned bit = free & -free;
    found += place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

static int apply(int (*f)(unsigned), unsigned n, int depth) {
  return depth == 0 ? f(n) : apply(f, n + 1, depth - 1) + f(n);
}

int main(void) {
  printf("%d %d\n", fibonacci(17), ackermann(2, 6));
  printf("%d %d\n", is_even(101), is_odd(77));
  hanoi(9, 0, 2, 1);
  printf("%d %d %d\n", moves, place(7, 0, 0, 0, 0), apply(is_even, 3, 9));
  return 0;
}
