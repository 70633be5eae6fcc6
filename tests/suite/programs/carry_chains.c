// Flags that live across jumps and loop heads: probes must not touch them.
#include <stdio.h>

typedef unsigned long Limb;

// The carry flag is live round the whole loop.
__attribute__((noinline)) static Limb add_big(Limb *a, const Limb *b, long n) {
  Limb carry;
  __asm__ volatile(
      "xorl %%eax, %%eax\n\t"
      "1: movq (%[b]), %%rax\n\t"
      "adcq %%rax, (%[a])\n\t"
      "leaq 8(%[a]), %[a]\n\t"
      "leaq 8(%[b]), %[b]\n\t"
      "decq %[n]\n\t"
      "jnz 1b\n\t"
      "sbbq %[carry], %[carry]\n\t"
      "negq %[carry]"
      : [a] "+r"(a), [b] "+r"(b), [n] "+r"(n), [carry] "=&r"(carry)
      :
      : "rax", "cc", "memory");
  return carry;
}

__attribute__((noinline)) static int order(Limb a, Limb b, int swap) {
  int result;
  // One comparison, three branches on its flags with a jump target in between.
  __asm__ volatile(
      "cmpq %[b], %[a]\n\t"
      "jmp 2f\n"
      "1: movl $7, %[r]\n\t"
      "jmp 4f\n"
      "2: ja 3f\n\t"
      "je 1b\n\t"
      "movl $1, %[r]\n\t"
      "jmp 4f\n"
      "3: movl $2, %[r]\n"
      "4:"
      : [r] "=&r"(result)
      : [a] "r"(a), [b] "r"(b)
      : "cc");
  return swap ? 10 - result : result;
}

__attribute__((noinline)) static int selects(int a, int b, int c) {
  int low = a < b ? a : b;
  if (a < b) low += c > 3 ? 2 : 5;
  return a == b ? low : a > b ? low - c : low + c;
}

__attribute__((noinline)) static int overflowing(int a, int b) {
  int r;
  if (__builtin_add_overflow(a, b, &r)) return -1;
  if (__builtin_mul_overflow(r, 77777, &r)) return -2;
  return __builtin_sub_overflow(r, b, &r) ? -3 : r;
}

int main(void) {
  Limb a[8] = {~0ul, ~0ul, 5, ~0ul, ~0ul, 1, 2, ~0ul}, b[8] = {1, 0, ~0ul, 0, 3, ~0ul, ~0ul, 1};
  Limb carries = 0;
  for (long n = 1; n <= 8; n++) carries = carries * 2 + add_big(a, b, n);
  int sum = 0;
  for (int i = 0; i < 30; i++)
    sum = sum * 3 + order((Limb)(i % 5), (Limb)(i % 3), i & 1) + selects(i % 7, i % 4, i % 6) + overflowing(i << 26, i << 27);
  printf("%lu %lx %lx %d\n", carries, a[0], a[7], sum);
  return 0;
}
