#!/bin/sh
# Parent and child each count their own; together they are what ran.
. "$(dirname "$0")/../common.inc"
cat >fork.c <<'SOURCE'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) {
  return n * 2;
}
int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += work(argc + i);
  for (int child = 0; child < 3; child++) {
    if (fork() == 0) {
      for (int i = 0; i < 100; i++) sum += work(i);
      if (child == 2) _exit(sum > 0 ? 0 : 1);
      return sum > 0 ? 0 : 1;
    }
  }
  int bad = 0, status;
  while (wait(&status) > 0) bad += status != 0;
  printf("%d %d\n", sum, bad);
  return 0;
}
SOURCE
for compiler in gcc clang; do
  rm -f f.chord
  "$CHORD" $compiler -O1 fork.c -o fork
  expect_equal "$compiler output" "110 0" "$(CHORD_OUT=f.chord ./fork)"
  expect_equal "$compiler calls of work" 310 "$(calls f.chord work)"
  expect_equal "$compiler calls of main" 1 "$(calls f.chord main)"
done
