#!/bin/sh
# Loops are entered and go round as often as the source says; long work shows where it is.
. "$(dirname "$0")/../common.inc"
cat >loops.c <<'C'
#include <stdio.h>
static int rows(int n, int m) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) sum += i ^ j;
  while (sum > 1000) sum /= 2;
  return sum;
}
int main(void) {
  printf("%d\n", rows(10, 20) + rows(3, 4));
  return 0;
}
C
for compiler in gcc clang; do
  "$CHORD" $compiler -O0 -g loops.c -o loops
  CHORD_OUT=$compiler.chord ./loops >/dev/null
  "$CHORD" report $compiler.chord --by=loop --json >loops.json
  python3 - <<'PYTHON' || fail "the loops of $compiler's program are not as written"
import json
rows = {r["line"]: r for r in json.load(open("loops.json"))["rows"]}
outer, inner, last = rows[4], rows[5], rows[6]
# A test before each iteration and one that ends the loop; both calls together.
assert (outer["depth"], outer["entered"], outer["iterations"]) == (1, 2, 11 + 4), outer
assert (inner["depth"], inner["entered"], inner["iterations"]) == (2, 13, 10 * 21 + 3 * 5), inner
sums = [sum(i ^ j for i in range(n) for j in range(m)) for n, m in ((10, 20), (3, 4))]
tests = sum(1 + max(0, len([k for k in range(40) if s >> k > 1000])) for s in sums)
assert (last["depth"], last["entered"], last["iterations"]) == (1, 2, tests), (last, tests)
assert outer["executed"] > inner["executed"] > 0
PYTHON
done
expect_equal "no progress without a terminal" "" "$("$CHORD" report clang.chord 2>&1 >/dev/null)"
