#!/bin/sh
# Routines that choose an implementation (ifunc, target_clones) run before thread-local storage is there. They are
# left alone, with what they call, and the report says why. Constructors and .preinit_array are counted.
. "$(dirname "$0")/../common.inc"
cat >clones.c <<'SOURCE'
#include <stdio.h>
__attribute__((target_clones("avx2", "default"))) int dot(const int *a, const int *b, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
int main(void) {
  int a[100], b[100];
  for (int i = 0; i < 100; i++) a[i] = i, b[i] = i * 3;
  printf("%d\n", dot(a, b, 100));
  return 0;
}
SOURCE
cat >resolver.c <<'SOURCE'
#include <stdio.h>
static __attribute__((noinline)) int inner(int x) { return x & 1 ? x : -x; }
static __attribute__((noinline)) int helper(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++) sum += inner(i);
  return sum;
}
static __attribute__((noinline)) int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static void *resolve(void) {
  volatile int n = 5;
  return helper(n) < 3 ? (void *)one : (void *)two;
}
int choose(int) __attribute__((ifunc("resolve")));
int main(void) {
  printf("%d %d\n", choose(3), choose(4));
  return 0;
}
SOURCE
for compiler in gcc clang; do
  for kind in "" -static -static-pie; do
    for mode in "" --paths --events=instructions; do
      for program in clones resolver; do
        [ "$compiler $program" != "clang clones" ] || continue
        $compiler -O2 $kind $program.c -o plain
        rm -f ./*.chord
        "$CHORD" $mode $compiler -O2 $kind $program.c -o woven
        expect_equal "$program $compiler $kind $mode" "$(./plain)" "$(./woven)"
        [ -z "$mode" ] || continue
        "$CHORD" report >report
        expect_contains "$program $compiler $kind" "before the program's storage is there" report
        if [ $program = resolver ]; then
          expect_contains "$compiler $kind" "it chooses choose before" report
          expect_contains "$compiler $kind" "resolve calls it before" report
          expect_contains "$compiler $kind" "helper calls it before" report
          expect_equal "calls of one, $compiler $kind" 2 "$(calls woven.chord one)"
        fi
      done
    done
  done
done
cat >early.c <<'SOURCE'
#include <stdio.h>
static int n;
__attribute__((noinline)) static int work(int k) {
  int sum = 0;
  for (int i = 0; i < k; i++) sum += n + i;
  return sum;
}
static void preinit(int argc, char **argv, char **envp) { n += work(argc + (argv == NULL) + (envp == NULL)); }
__attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = preinit;
__attribute__((constructor(0))) static void first(void) { n += work(4); }
__attribute__((constructor)) static void last(void) { n += work(6); }
int main(void) {
  printf("%d\n", n + work(1));
  return 0;
}
SOURCE
for kind in "" -static -static-pie; do
  gcc -w -O2 $kind early.c -o plain
  rm -f ./*.chord
  "$CHORD" gcc -w -O2 $kind early.c -o woven
  expect_equal "early $kind" "$(./plain)" "$(./woven)"
  for function in preinit first last; do expect_equal "$function $kind" 1 "$(calls woven.chord $function)"; done
  expect_equal "work $kind" 4 "$(calls woven.chord work)"
done
