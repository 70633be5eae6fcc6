// Variable-length arrays, alloca, large frames, realigned stacks.
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int variable(int n) {
  int row[n + 1];
  row[0] = 1;
  for (int i = 1; i <= n; i++) {
    row[i] = 1;
    for (int j = i - 1; j > 0; j--) row[j] = (row[j] + row[j - 1]) % 10007;
  }
  return row[n / 2];
}
__attribute__((noinline)) static unsigned long borrowed(const char *text) {
  char *copy = alloca(strlen(text) + 1);
  strcpy(copy, text);
  for (char *p = copy, *q = copy + strlen(copy) - 1; p < q; p++, q--) {
    char c = *p;
    *p = *q;
    *q = c;
  }
  unsigned long hash = 5381;
  for (char *p = copy; *p; p++) hash = hash * 33 + (unsigned char)*p;
  return hash;
}
__attribute__((noinline)) static int large(int seed) {
  int table[3000];
  for (int i = 0; i < 3000; i++) table[i] = (i * seed) & 0xff;
  int best = 0;
  for (int i = 0; i < 3000; i += 7)
    if (table[i] > table[best]) best = i;
  return best;
}
__attribute__((noinline)) static int aligned(int n) {
  _Alignas(64) int lanes[16] = {0};
  for (int i = 0; i < n; i++) lanes[i % 16] += i;
  return ((uintptr_t)lanes & 63) == 0 ? lanes[n % 16] : -1;
}

int main(void) {
  int sum = 0;
  for (int n = 1; n < 25; n += 3) sum += variable(n);
  printf("%d %lu %d %d\n", sum, borrowed("able was I ere I saw elbA"), large(37), aligned(100));
  return 0;
}
