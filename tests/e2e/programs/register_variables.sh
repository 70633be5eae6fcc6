#!/bin/sh
# Global variables in registers that the usual convention gives away, set, changed and ignored by functions of
# another file, with and without the option that says so; and in callee-saved ones. And gcc's large code model, where functions of the same
# file are called through a register and their callers know what they leave alone.
. "$(dirname "$0")/../common.inc"
cat >users.c <<'SOURCE'
register long variable __asm__(REGISTER);
extern volatile long sink;
void set(long n) {
  while (n--) sink += n;
  variable = sink;
  if (sink & 1) sink++;
}
void change(long n) {
  variable += n;
  if (sink & 1) sink++;
  while (n--) sink += n;
}
SOURCE
cat >idle.c <<'SOURCE'
register long variable __asm__(REGISTER);
extern volatile long sink;
void idle(long n) {
  while (n--) {
    sink += n;
    if (sink & 4) sink ^= 1;
  }
}
SOURCE
cat >main.c <<'SOURCE'
#include <stdio.h>
register long variable __asm__(REGISTER);
volatile long sink = 1;
void set(long), change(long), idle(long);
__attribute__((noinline)) long run(void) {
  long sum = 0;
  variable = 3;
  for (int i = 0; i < 10; i++) {
    change(i);
    sum += variable;
    idle(i);
    sum = sum * 3 + variable;
    set(i);
    sum = sum * 5 + variable;
  }
  return sum;
}
int main(void) {
  long result = run();
  printf("%ld\n", result);
  return 0;
}
SOURCE
# build OUTPUT COMMAND…
build() {
  output=$1
  shift
  for file in users idle main; do "$@" -w "-DREGISTER=\"$register\"" -c $file.c -o $file.o; done
  "$@" users.o idle.o main.o -o "$output"
}
for register in r11 r10; do
  for option in "" -ffixed-$register; do
    build plain gcc -O2 -static $option
    for mode in "" --paths --events=instructions --durable; do
      for code in "" -fPIC; do
        build woven "$CHORD" $mode gcc -O2 -static $option $code
        expect_equal "$register $option $code, chord $mode" "$(./plain)" "$(CHORD_OUT=/dev/null CHORD_QUIET=1 timeout 20 ./woven)"
      done
    done
  done
done

# Callee-saved: a function that leaves the variable alone stands between those that use it.
cat >between.c <<'SOURCE'
register long variable __asm__(REGISTER);
extern volatile long sink;
void change(long);
void idle(long n) {
  while (n--) {
    change(n);
    if (sink & 4) sink ^= 1; else sink++;
  }
}
SOURCE
mv between.c idle.c
for register in r15 rbx; do
  for option in "" -ffixed-$register; do
    build plain gcc -O2 -static $option
    for mode in "" --paths; do
      build woven "$CHORD" $mode gcc -O2 -static $option
      expect_equal "$register $option, chord $mode" "$(./plain)" "$(CHORD_OUT=/dev/null CHORD_QUIET=1 timeout 20 ./woven)"
    done
  done
done

cat >large.c <<'SOURCE'
#include <stdio.h>
volatile long sink = 5;
static __attribute__((noinline)) void step(void) {
  for (long n = sink & 7; n != 0; n--) sink = sink * 3 + 1;
}
static __attribute__((noinline)) long rounds(long a, long b, long c, long d, long e, long f) {
  long x[8];
  for (int i = 0; i < 8; i++) x[i] = sink + i * a;
  long x0 = x[0] + b, x1 = x[1] ^ c, x2 = x[2] + d, x3 = x[3] - e, x4 = x[4] * f, x5 = x[5] + 1, x6 = x[6] + 2, x7 = x[7];
  step();
  x0 += x1;
  step();
  return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + x0 * 7 + x1 * 8 + x2 * 9 + x3 * 10 + x4 * 11 + x5 * 12 + x6 * 13 + x7 * 14;
}
int main(void) {
  unsigned long sum = 0;
  for (long i = 0; i < 50; i++) sum = sum * 31 + (unsigned long)rounds(i, i + 1, i * 2, i ^ 5, i - 9, i * i);
  printf("%lu\n", sum);
  return 0;
}
SOURCE
for model in small large; do
  gcc -O2 -mcmodel=$model -fno-pie -no-pie large.c -o plain
  for mode in "" --paths --events=instructions --durable --loop-counters=registers; do
    "$CHORD" $mode gcc -O2 -mcmodel=$model -fno-pie -no-pie large.c -o woven
    expect_equal "-mcmodel=$model, chord $mode" "$(./plain)" "$(CHORD_OUT=/dev/null CHORD_QUIET=1 timeout 20 ./woven)"
  done
done
