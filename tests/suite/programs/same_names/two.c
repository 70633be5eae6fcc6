__attribute__((noinline)) static int helper(int n) { return n % 2 ? n * 3 : n; }
int use_two(int n) { return helper(n) + helper(n + 1); }
