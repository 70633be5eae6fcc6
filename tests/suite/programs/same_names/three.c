__attribute__((noinline)) static int helper(int n) {
  while (n > 3) n -= 2;
  return n;
}
int use_three(int n) { return n > 5 ? helper(n) : 0; }
