/* Loops of a few instructions: where counting costs most. One is run, long enough to be
 * timed: tight_loops WHICH MILLIONS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOP __attribute__((noinline)) static

/* A round of about three cycles, one counter. */
LOOP unsigned long counted(unsigned long n) {
  unsigned long x = 1;
  for (unsigned long i = 0; i < n; ++i) {
    x = x * 5 + i;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

/* Vectorised at -O3. */
LOOP unsigned long vectorised(const int *a, unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long k = 0; k < n / 4096; ++k) {
    int part = 0;
    for (int i = 0; i < 4096; ++i) part += a[i] ^ (int)k;
    sum += (unsigned)part;
  }
  return sum;
}

/* A branch that is hard to foresee, an index of 32 bits. */
LOOP unsigned long branching(unsigned long n) {
  unsigned long left = n;
  unsigned x = 7, steps = 0;
  while (left != 0) {
    unsigned round = left > 1000000 ? 1000000 : (unsigned)left;
    for (unsigned i = 0; i != round; ++i) {
      if (x & 1)
        x = x * 3 + 1;
      else
        x = (x >> 1) ^ 0x4000u;
      __asm__ volatile("" : "+r"(x));
      steps += x & 1;
    }
    left -= round;
  }
  return x + steps;
}

/* Three loops, the inner one short. */
LOOP unsigned long nested(const int *a, unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long k = 0; k < n / (64 * 16); ++k)
    for (unsigned i = 0; i < 64; ++i)
      for (unsigned j = 0; j < 16; ++j) {
        sum += (unsigned)a[i * 16 + j];
        __asm__ volatile("" : "+r"(sum));
      }
  return sum;
}

/* No general register is left for a counter, nor flags to count with, and one vector register for two. */
#define GENERAL(what) what(rcx) what(rdx) what(rsi) what(rdi) what(r8) what(r9) what(r10) what(r11) KEPT(what)
#define KEPT(what) what(rbx) what(rbp) what(r12) what(r13) what(r14) what(r15)
#define PUT_BACK(what) what(r15) what(r14) what(r13) what(r12) what(rbp) what(rbx)
#define VECTORS(what) \
  what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11) what(12) what(13) what(14)
#define PUSH(r) "\tpushq\t%" #r "\n\t.cfi_adjust_cfa_offset 8\n"
#define POP(r) "\tpopq\t%" #r "\n\t.cfi_adjust_cfa_offset -8\n"
#define ADD(r) "\taddq\t%" #r ", %rax\n"
#define ADD_VECTOR(r) "\tpaddq\t%xmm" #r ", %xmm0\n"
unsigned long crowded(unsigned long n);
__asm__(
    "\t.text\n\t.type\tcrowded, @function\ncrowded:\n\t.cfi_startproc\n" KEPT(PUSH)
    "\tmovl\t%edi, %eax\n"
    "\tmovabsq\t$0x5a5a5a5a5a5a5a5a, %rbx\n"
    "\tstc\n"
    "1:\trclq\t$1, %rbx\n"
    "\tadcq\t%rbx, %rdx\n"
    "\tjc\t2f\n"
    "\tleal\t-1(%rax), %eax\n"
    "\tjmp\t3f\n"
    "2:\tleal\t-1(%rax), %eax\n"
    "\tstc\n"
    "3:\tpushfq\n"
    "\ttestl\t%eax, %eax\n"
    "\tje\t4f\n"
    "\tpopfq\n"
    "\tjmp\t1b\n"
    "4:\tpopfq\n" VECTORS(ADD_VECTOR) GENERAL(ADD) PUT_BACK(POP)
    "\tret\n\t.cfi_endproc\n\t.size\tcrowded, .-crowded\n");

int main(int argc, char **argv) {
  static int a[4096];
  if (argc != 3) return 2;
  unsigned long n = strtoul(argv[2], NULL, 10) * 1000000;
  for (int i = 0; i < 4096; ++i) a[i] = i * 7;
  const char *which = argv[1];
  unsigned long result = 0;
  if (!strcmp(which, "counted"))
    result = counted(n);
  else if (!strcmp(which, "vectorised"))
    result = vectorised(a, n);
  else if (!strcmp(which, "branching"))
    result = branching(n);
  else if (!strcmp(which, "nested"))
    result = nested(a, n);
  else if (!strcmp(which, "crowded"))
    result = crowded(n);
  else
    return 2;
  printf("%lu\n", result);
  return 0;
}
