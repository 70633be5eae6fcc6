#include <stdio.h>

/* Ways to put the remaining queens, one per row, given the attacked columns. */
static int place(int rows, unsigned columns, unsigned left, unsigned right) {
  if (rows == 0) return 1;
  int found = 0;
  for (unsigned free = ~(columns | left | right) & 0xff; free; free &= free - 1) {
    unsigned bit = free & -free;
    found += place(rows - 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    fprintf(stderr, "usage: %s\n", argv[0]);
    return 2;
  }
  printf("%d solutions\n", place(8, 0, 0, 0));
  return 0;
}
