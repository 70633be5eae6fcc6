// Graphs no structured program has: loops with two entries, jumps into loops.
#include <stdio.h>

__attribute__((noinline)) static int two_entries(int n, int where) {
  int sum = 0;
  if (where & 1) goto middle;
top:
  sum += n;
  if (sum > 900) goto out;
middle:
  sum ^= n << 1;
  if (--n > 0) {
    if (where & 2) goto top;
    if (n % 3) goto middle;
    goto top;
  }
out:
  return sum;
}

// Copying with the first jump into the middle of an unrolled loop.
__attribute__((noinline)) static void unrolled(char *to, const char *from, int count) {
  int rounds = (count + 7) / 8;
  if (count <= 0) return;
  switch (count % 8) {
    case 0: do { *to++ = *from++; /* fallthrough */
    case 7: *to++ = *from++; /* fallthrough */
    case 6: *to++ = *from++; /* fallthrough */
    case 5: *to++ = *from++; /* fallthrough */
    case 4: *to++ = *from++; /* fallthrough */
    case 3: *to++ = *from++; /* fallthrough */
    case 2: *to++ = *from++; /* fallthrough */
    case 1: *to++ = *from++;
    } while (--rounds > 0);
  }
}

__attribute__((noinline)) static int spaghetti(int n) {
  int a = n, b = 0;
s1:
  if (a % 2) goto s3;
s2:
  b += a;
  if (b > 300) goto s5;
s3:
  a -= 1;
  if (a % 5 == 0) goto s2;
  if (a % 7 == 0) goto s4;
  if (a > 0) goto s1;
  goto s5;
s4:
  b -= 2;
  if (a > 0) goto s3;
s5:
  return a * 1000 + b;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 40; i++) sum = sum * 3 + two_entries(i, i) + spaghetti(i * 3);
  char text[64] = {0};
  for (int i = 0; i < 40; i += 3) unrolled(text, "The quick brown fox jumps over the lazy dog.", i);
  printf("%d %s\n", sum, text);
  return 0;
}
