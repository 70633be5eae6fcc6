// suite-except: callsites   (flags may be results of what no compiler wrote, and what measures calls changes them)
// Jumps to labels on all sides of alignment: who arrives in front of padding executes it.
#include <stdio.h>

extern int asm_padded(int which, int value);

int main(void) {
  int padded = 0;
  for (int i = 0; i < 70; i++) padded = padded * 3 + asm_padded(i % 7, i * i % 50);
  printf("%d\n", padded);
  return 0;
}
