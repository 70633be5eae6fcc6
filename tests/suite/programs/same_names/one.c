// Local functions of the same names in several files stay apart.
#include <stdio.h>
extern int use_two(int n);
extern int use_three(int n);

__attribute__((noinline)) static int helper(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i;
  return sum;
}
__attribute__((noinline)) static int only_here(int n) { return helper(n) + 1; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 11; i++) sum += only_here(i) + use_two(i) - use_three(i);
  printf("%d\n", sum);
  return 0;
}
