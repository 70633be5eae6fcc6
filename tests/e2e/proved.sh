#!/bin/sh
# --verify: all that is woven is proved; what cannot be is an error or, with =skip (--prove), left alone with the reason.
. "$(dirname "$0")/common.inc"
cat >work.c <<'SOURCE'
#include <stdio.h>
__attribute__((noinline)) int pick(int n) {
  switch (n % 5) {
    case 0: return 3;
    case 1: return n > 10 ? 5 : 7;
    case 2: return n + 1;
    case 3: return 2 * n;
    default: return -n;
  }
}
int main(void) {
  long sum = 0;
  for (int i = 0; i < 100; i++) sum += pick(i);
  printf("%ld\n", sum);
  return 0;
}
SOURCE
gcc -O2 work.c -o plain
for mode in "" --paths --events --callsites --durable --budget --context --trace --coverage --metrics=tsc "--context --metrics=time" "--paths --metrics=tsc" \
  --metrics=sim:l1d,sim:l2 "--context --metrics=sim:l1d"; do
  "$CHORD" --verify $mode gcc -O2 work.c -o work 2>errors
  expect_equal "nothing is left alone with '$mode'" "" "$(cat errors)"
  rm -f work.chord
  expect_equal "the program with '$mode'" "$(./plain)" "$(./work)"
done

# Chosen paths, too; and a function with so many that not all ways can be followed is left alone, or an error.
{
  echo 'volatile int v[64]; long s;'
  echo '__attribute__((noinline)) void big(void) {'
  i=0
  while [ $i -lt 40 ]; do
    echo "  if (v[$i]) s += $i; else s ^= $i;"
    i=$((i + 1))
  done
  echo '}'
  echo 'int main(void) { for (int i = 0; i < 64; i++) v[i] = i % 3; big(); return s == 0; }'
} >big.c
"$CHORD" --paths gcc -O0 big.c -o big
rm -f big.chord
./big
"$CHORD" paths select --top=2 big.chord -o chosen >/dev/null
if "$CHORD" --verify --paths=chosen gcc -O0 big.c -o big 2>errors; then fail "--verify accepts what cannot be proved"; fi
expect_contains "the error" "verify: big: line" errors
expect_contains "the reason" "too many paths to look at" errors
"$CHORD" --verify=skip --paths=chosen gcc -O0 big.c -o big 2>errors
expect_contains "the warning" "left uninstrumented: big (not proved: line" errors
"$CHORD" doctor ./big >doctor 2>&1 || true
expect_contains "the reason" "too many paths to look at" doctor
rm -f big.chord
./big
"$CHORD" paths big.chord >paths
expect_contains "what is proved is counted" main paths

expect_status 2 "$CHORD" --verify=sometimes gcc big.c -o big
expect_contains "values" "one of: error, skip, off" err
