// A jump by a table that is found on some ways back from it only: counted as what stays in its function.
#include <setjmp.h>
#include <stdio.h>

extern int asm_table_again(long which);
jmp_buf again_buffer;
static int others;
void asm_table_other(void);
void asm_table_other(void) { others++; }

int main(void) {
  long sum = 0;
  for (int i = 0; i < 10; i++) sum += asm_table_again(i & 1);
  printf("%d %ld\n", others, sum);
  return 0;
}
