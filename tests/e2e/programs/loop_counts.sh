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

lines_of_loops() { "$CHORD" report "$@" --by=loop --json | python3 -c 'import json, sys; print(*(row["line"] for row in json.load(sys.stdin)["rows"]))'; }
# Loops that have no test of their own are closed by a jump that stands alone and has the line of `while`, `for` or DO: clang's, and gfortran's with a step.
# A `continue` that stands alone is none.
cat >endless.c <<'C'
volatile int n = 10, s;
int main(void) {
  int i = 0;
  while (1) {
    s += i;
    i++;
    if (i > n)
      break;
  }
  for (;;) {
    s += i;
    if (i & 1) {
      i -= 3;
      continue;
    }
    if (--i <= 0) break;
  }
  return 0;
}
C
"$CHORD" clang -O0 -g endless.c -o endless && ./endless
expect_equal "the lines of clang's endless loops" "4 10" "$(lines_of_loops endless.chord)"
"$CHORD" gcc -O0 -g endless.c -o with_gcc && ./with_gcc
expect_equal "the lines of gcc's endless loops" "7 11" "$(lines_of_loops with_gcc.chord)"
cat >steps.f90 <<'FORTRAN'
subroutine scale(n, x)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  do i = 1, n, 5
    x(i) = 2 * x(i)
    x(i + 1) = 3 * x(i + 1)
  end do
end subroutine scale
program steps
  real(8) :: x(100)
  x = 1
  call scale(100, x)
  if (sum(x) /= 160) stop 1
end program steps
FORTRAN
"$CHORD" gfortran -O0 -g steps.f90 -o steps && ./steps
expect_equal "the line of a DO with a step" 5 "$(lines_of_loops steps.chord --function=scale_)"
expect_equal "no progress without a terminal" "" "$("$CHORD" report clang.chord 2>&1 >/dev/null)"
