// Branches that reach one byte far, and cannot be led to a probe: what they did follows from what is written after them.
#include <stdio.h>

asm(".text\n"
    ".globl near\n.type near, @function\nnear:\n.cfi_startproc\n"
    "movq %rdi, %rcx\nmovl $1, %eax\njrcxz 3f\nleaq 1(%rcx), %rax\n3:\n"
    "testq %rsi, %rsi\nje 5f\naddq %rsi, %rax\nret\n5:\nnegq %rax\nret\n"
    ".cfi_endproc\n.size near, .-near\n"
    ".globl spin\n.type spin, @function\nspin:\n.cfi_startproc\n"
    "movq %rdi, %rcx\nxorl %eax, %eax\n7:\naddl $3, %eax\nloop 7b\nret\n"
    ".cfi_endproc\n.size spin, .-spin\n"
    ".globl until_equal\n.type until_equal, @function\nuntil_equal:\n.cfi_startproc\n"
    "movq %rdi, %rcx\nxorl %eax, %eax\n8:\naddl $1, %eax\ncmpl %esi, %eax\nloopne 8b\nje 9f\nnegl %eax\n9:\ncltq\nret\n"
    ".cfi_endproc\n.size until_equal, .-until_equal\n");

long near(long first, long second);
long spin(long times);
long until_equal(long times, long wanted);

int main(void) {
  long sum = 0;
  for (long i = 0; i < 5; ++i) sum += near(i, i % 2) * (i + 1) + spin(i + 1) + until_equal(4, i);
  printf("%ld\n", sum);
  return 0;
}
