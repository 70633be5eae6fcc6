// Functions written in assembly: local labels, a table of their own, no debug information.
#include <stdio.h>

extern unsigned long asm_strlen(const char *text);
extern long asm_sum(const int *values, long n);
extern int asm_select(int which, int value);
extern unsigned asm_crc(const unsigned char *bytes, unsigned long n);
extern int asm_max3(int a, int b, int c);
extern int asm_table_walk(const unsigned char *moves, int n);

int main(void) {
  int values[40], sum = 0;
  for (int i = 0; i < 40; i++) values[i] = i * 3 - 50;
  for (int i = -1; i < 7; i++) sum = sum * 5 + asm_select(i, i + 10);
  const char *text = "assembly by hand";
  unsigned long n = asm_strlen(text);
  printf("%lu %ld %d %08x %d %d\n", n, asm_sum(values, 40), sum, asm_crc((const unsigned char *)text, n),
         asm_max3(3, 9, 4), asm_max3(7, 2, 5));
  unsigned char moves[100];
  for (int i = 0; i < 100; i++) moves[i] = (unsigned char)(i * i % 4);
  printf("%d\n", asm_table_walk(moves, 100));
  return 0;
}
