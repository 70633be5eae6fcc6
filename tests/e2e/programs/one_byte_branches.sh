#!/bin/sh
# Branches that reach one byte far (`loop`, `jrcxz`), over probes that are too long for them, as those of shared objects are: the function is left alone
# with the reason, which the build and `chord doctor` say; all others of its file are woven. Where probes are short enough it counts.
. "$(dirname "$0")/../common.inc"
source=$root/tests/suite/programs/odd_branches.c
reason="a one-byte branch over too much code"
cat >other.c <<'SOURCE'
#include <stdio.h>
__attribute__((noinline)) long sum(const int *values, long n) {
  long sum = 0;
  __asm__ volatile("1: movslq -4(%[v],%%rcx,4), %%rax\n\taddq %%rax, %[sum]\n\tcmpq $100, %%rax\n\tjne 2f\n\taddq $1, %[sum]\n"
                   "2: cmpq $200, %%rax\n\tjne 3f\n\taddq $1, %[sum]\n3: cmpq $300, %%rax\n\tjne 4f\n\taddq $1, %[sum]\n"
                   "4: cmpq $400, %%rax\n\tjne 5f\n\taddq $1, %[sum]\n5: loop 1b"
                   : [sum] "+r"(sum), "+c"(n) : [v] "r"(values) : "rax", "cc", "memory");
  return sum;
}
__attribute__((noinline)) int twice(int n) { return n > 0 ? 2 * n : n; }
int main(void) {
  int values[] = {100, 200, 3, 400};
  printf("%ld %d\n", sum(values, 4), twice(4) + twice(-4));
  return 0;
}
SOURCE
gcc -O2 "$source" -o plain
"$CHORD" gcc -O2 -fPIC "$source" -o odd 2>errors
expect_contains "the reason" "left uninstrumented: main ($reason)" errors
expect_equal "what it prints" "$(./plain)" "$(./odd)"
"$CHORD" doctor ./odd >doctor 2>&1 || true
expect_contains "the doctor" "$reason" doctor
rm -f odd.chord
"$CHORD" gcc -O2 -fPIE -pie "$source" -o odd 2>errors
expect_equal "short probes" "" "$(cat errors)"
expect_equal "what it prints" "$(./plain)" "$(./odd)"
expect_equal "calls of main" 1 "$("$CHORD" report odd.chord --by=function --json | python3 -c 'import json, sys; print([r["calls"] for r in json.load(sys.stdin)["rows"] if r["function"] == "main"][0])')"

for compiler in gcc clang; do
  $compiler -O2 other.c -o plain
  rm -f other.chord
  "$CHORD" $compiler -O2 -fPIC other.c -o other 2>errors
  expect_contains "the function" "left uninstrumented: sum ($reason)" errors
  expect_equal "what it prints" "$(./plain)" "$(./other)"
  "$CHORD" report other.chord --by=function --json >report
  expect_equal "the others count" 2 "$(python3 -c 'import json; print([r["calls"] for r in json.load(open("report"))["rows"] if r["function"] == "twice"][0])')"
done
