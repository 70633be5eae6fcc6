// suite-except: pic   (a branch of one byte does not reach over probes of shared objects: all of it is left alone)
// Branches that test a register instead of flags, and instructions that repeat themselves.
#include <stdio.h>

static long sum_with_loop(const int *values, long n) {
  long sum = 0;
  __asm__ volatile(
      "jrcxz 2f\n"
      "1: movslq -4(%[v],%%rcx,4), %%rax\n\t"
      "addq %%rax, %[sum]\n\t"
      "loop 1b\n"
      "2:"
      : [sum] "+r"(sum), "+c"(n)
      : [v] "r"(values)
      : "rax", "cc", "memory");
  return sum;
}

static long find_with_loopne(const char *text, char wanted, long limit) {
  long left = limit;
  __asm__ volatile(
      "jecxz 2f\n"
      "1: cmpb %b[wanted], (%[p])\n\t"
      "leaq 1(%[p]), %[p]\n\t"
      "loopne 1b\n"
      "2:"
      : [p] "+r"(text), "+c"(left)
      : [wanted] "q"(wanted)
      : "cc", "memory");
  return limit - left;
}

static void copy(void *to, const void *from, unsigned long n) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
static void set(void *to, int value, unsigned long n) {
  __asm__ volatile("cld; rep stosb" : "+D"(to), "+c"(n) : "a"(value) : "memory");
}
static unsigned long length(const char *text) {
  unsigned long n = ~0ul;
  __asm__ volatile("repnz scasb" : "+D"(text), "+c"(n) : "a"(0) : "cc", "memory");
  return ~n - 1;
}
static int equal(const char *a, const char *b, unsigned long n) {
  unsigned char same;
  __asm__ volatile("cmpq %%rcx, %%rcx; repe cmpsb; sete %0" : "=q"(same), "+S"(a), "+D"(b), "+c"(n) : : "cc", "memory");
  return same;
}

int main(void) {
  int values[30];
  for (int i = 0; i < 30; i++) values[i] = i * i - 100;
  for (long n = 0; n <= 30; n += 6) printf("%ld ", sum_with_loop(values, n));
  const char *text = "a quick brown fox jumps over it";
  printf("%ld %ld %ld\n", find_with_loopne(text, 'x', 31), find_with_loopne(text, 'Z', 31), find_with_loopne(text, 'a', 0));
  char buffer[64];
  set(buffer, 'z', 63);
  buffer[63] = 0;
  copy(buffer + 5, text, length(text));
  copy(buffer, text, 0);
  printf("%s %lu %d %d\n", buffer, length(buffer), equal(buffer + 5, text, 20), equal(buffer, text, 8));
  return 0;
}
