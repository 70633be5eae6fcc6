// Inline assembly with labels and branches of its own, and asm goto.
#include <stdio.h>

static int gcd(int a, int b) {
  __asm__ volatile(
      "1: testl %1, %1\n\t"
      "je 3f\n\t"
      "cmpl %1, %0\n\t"
      "jae 2f\n\t"
      "xchgl %0, %1\n\t"
      "jmp 1b\n"
      "2: subl %1, %0\n\t"
      "jmp 1b\n"
      "3:"
      : "+r"(a), "+r"(b)
      :
      : "cc");
  return a;
}

static int bits(unsigned long value) {
  int count;
  __asm__ volatile(
      "xorl %0, %0\n"
      ".Lbits_again%=:\n\t"
      "testq %1, %1\n\t"
      "jz .Lbits_done%=\n\t"
      "leaq -1(%1), %%rdx\n\t"
      "andq %%rdx, %1\n\t"
      "incl %0\n\t"
      "jmp .Lbits_again%=\n"
      ".Lbits_done%=:"
      : "=&r"(count), "+r"(value)
      :
      : "rdx", "cc");
  return count;
}

static int classify(int value) {
  __asm__ goto(
      "cmpl $10, %0\n\t"
      "jl %l[small]\n\t"
      "cmpl $100, %0\n\t"
      "jge %l[large]"
      :
      : "r"(value)
      : "cc"
      : small, large);
  return 2;
small:
  return 1;
large:
  return 3;
}

// Several instructions on one line, and comments of the assembler.
static unsigned long mix(unsigned long value) {
  __asm__ volatile("rorq $7, %0; xorq $0x5bd1, %0 # stir\n\t/* and again */ bswapq %0" : "+r"(value) : : "cc");
  return value;
}

int main(void) {
  int sum = 0;
  for (int i = 1; i < 30; i++) sum += gcd(i * 12, 90) + bits((unsigned long)i * 0x9e3779b97f4a7c15ul);
  unsigned long hash = 1;
  for (int i = 0; i < 150; i += 7) hash = mix(hash + (unsigned long)classify(i));
  printf("%d %lx\n", sum, hash);
  return 0;
}
