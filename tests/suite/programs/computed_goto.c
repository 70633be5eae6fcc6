// An interpreter whose every instruction ends in its own indirect jump.
#include <stdio.h>

enum { PUSH, ADD, MULTIPLY, DUPLICATE, SWAP, DECREMENT, BRANCH, PRINT, HALT };

static long interpret(const int *code, const int *unused) {
  static const void *const labels[] = {&&push, &&add, &&multiply, &&duplicate, &&swap,
                                       &&decrement, &&branch, &&print, &&halt};
  long stack[32], *top = stack, kept;
  const int *pc = code;
  (void)unused;
#define NEXT goto *labels[*pc++]
  NEXT;
push:
  *top++ = *pc++;
  NEXT;
add:
  top--;
  top[-1] += top[0];
  NEXT;
multiply:
  top--;
  top[-1] = (long)((unsigned long)top[-1] * (unsigned long)top[0] % 1000003u);
  NEXT;
duplicate:
  top[0] = top[-1];
  top++;
  NEXT;
swap:
  kept = top[-1];
  top[-1] = top[-2];
  top[-2] = kept;
  NEXT;
decrement:
  top[-1]--;
  NEXT;
branch:
  if (top[-1] > 0) pc = code + *pc;
  else pc++;
  NEXT;
print:
  printf("%ld\n", top[-2]);
  NEXT;
halt:
  return top[-2];
}

// Offsets from a label instead of addresses: the table holds differences.
static int relative(const unsigned char *code) {
  static const int offsets[] = {&&one - &&one, &&two - &&one, &&three - &&one, &&stop - &&one};
  int sum = 0;
  goto *(&&one + offsets[*code++]);
one:
  sum += 1;
  goto *(&&one + offsets[*code++]);
two:
  sum *= 2;
  goto *(&&one + offsets[*code++]);
three:
  sum -= 3;
  goto *(&&one + offsets[*code++]);
stop:
  return sum;
}

int main(void) {
  static const int code[] = {PUSH, 1, PUSH, 200, SWAP, PUSH, 3, MULTIPLY, PUSH, 7, ADD, SWAP, DECREMENT,
                             BRANCH, 4, PRINT, HALT};
  printf("%ld\n", interpret(code, code));
  unsigned char steps[301];
  for (int i = 0; i < 300; i++) steps[i] = (unsigned char)((i * i + i / 3) % 3);
  steps[300] = 3;
  printf("%d\n", relative(steps));
  return 0;
}
