// suite-flags: -fPIC
// A woven program with a woven shared library; each calls back into the other.
#include <stdio.h>

extern int library_sum(const int *values, int n, int (*filter)(int));
extern int library_state(int add);
int visible_to_library(int n) { return n % 4 == 0 ? n * 2 : n; }
static int odd(int n) { return n & 1; }

int main(void) {
  int values[50];
  for (int i = 0; i < 50; i++) values[i] = i * 3;
  int sum = library_sum(values, 50, odd);
  for (int i = 0; i < 9; i++) sum += library_state(i);
  printf("%d\n", sum);
  return 0;
}
