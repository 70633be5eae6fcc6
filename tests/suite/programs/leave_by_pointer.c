// suite-except: unwind-free   (where frames stood at the end is found by unwinding)
// What leaves frames early, reached through its address: from a table in memory, from a
// register, and by a conditional jump in place of a call.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static jmp_buf place;
static void (*const leave[])(struct __jmp_buf_tag *, int) = {longjmp, _longjmp};

__attribute__((noinline)) static int dig(int depth, void (*out)(struct __jmp_buf_tag *, int)) {
  if (depth == 0) out(place, 7);
  return dig(depth - 1, out) + 1;
}
__attribute__((noinline)) static int by_table(int way) {
  volatile int caught = 0;
  for (volatile int i = 0; i < 10; i++) {
    int came = setjmp(place);
    if (came == 0) dig(i, leave[way]);
    caught += came;
  }
  return caught;
}
__attribute__((noinline)) static int end(void (*out)(int), int depth) {
  if (depth == 0) {
    fflush(stdout);
    out(0);
  }
  return end(out, depth - 1) + 1;
}
__attribute__((noinline)) void maybe_end(int status) {
  if (status > 3) _exit(status);
  printf("still here\n");
}
int main(int argc, char **argv) {
  (void)argv;
  printf("%d %d\n", by_table(0), by_table(1));
  maybe_end(argc);
  return end(argc > 5 ? exit : _exit, 6);
}
