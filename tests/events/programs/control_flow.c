/* Loops, switches, recursion, indirect and tail calls, callbacks from plain code. */
#include <stdlib.h>
#include <string.h>

#include "../query.h"

typedef int (*operation)(int, int);

static __attribute__((noinline)) int add(int a, int b) {
  if (a > 1000) QUERY(0);
  return a + b;
}
static __attribute__((noinline)) int mix(int a, int b) { return a > b ? a * 3 - b : b ^ (a << 2); }
static __attribute__((noinline)) int count_bits(unsigned n) {
  int bits = 0;
  for (; n; n &= n - 1) ++bits;
  return bits;
}
static operation operations[] = {add, mix};

static __attribute__((noinline)) int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

static __attribute__((noinline)) int run(const char *code) {
  int value = 7;
  for (; *code; ++code) {
    switch (*code) {
      case 'a': value += 5; break;
      case 'b': value = operations[value & 1](value, 3); break;
      case 'c': value = count_bits((unsigned)value); break;
      case 'd': value ^= 0x55; break;
      case 'e': value = value > 100 ? value / 3 : value * 3; break;
      case 'q': QUERY(0); break;
      default:
        for (int i = 0; i < value % 17; ++i) value += i & 1 ? i : -1;
    }
  }
  return value;
}

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (x == 9) QUERY(0);
  return x < y ? -1 : x > y;
}

int tail(int n) {
  if (n > 40) return run("aqx");
  return n & 1 ? mix(n, 3) : ackermann(1, n);
}

int main(int argc, char **argv) {
  (void)argv;
  QUERY(0);
  int total = run("abcqdexxbbqcdeabxq");
  total += ackermann(2, 3);
  QUERY(0);
  int values[] = {5, 3, 9, 1, 4, 8, 2, 2, 7};
  qsort(values, sizeof values / sizeof values[0], sizeof values[0], compare);
  QUERY(0);
  for (int i = 36; i < 44; ++i) total += tail(i);
  char text[64];
  memset(text, argc, sizeof text);
  total += text[total & 63] + add(2000, 1);
  QUERY(0);
  do {
    total = total % 1000;
    if (total > 900) QUERY(0);
    total -= 7;
  } while (total > 0);
  QUERY(0);
  return 0;
}
