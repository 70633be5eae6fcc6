#!/bin/sh
# --verify: all that is woven is proved; what cannot be is an error or, with =skip (--prove), left alone with the reason.
. "$(dirname "$0")/../common.inc"
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

# Chosen paths, too: a few of 2^40, and 500.
{
  echo 'volatile int v[64]; long s;'
  echo '__attribute__((noinline)) void big(void) {'
  i=0
  while [ $i -lt 40 ]; do
    echo "  if (v[$i]) s += $i; else s ^= $i;"
    i=$((i + 1))
  done
  echo '}'
  echo 'int main(void) { for (int k = 0; k < 600; k++) { for (int i = 0; i < 64; i++) v[i] = (k * 2654435761u >> i % 16) & 1; big(); } return s == 0; }'
} >big.c
"$CHORD" --paths gcc -O0 big.c -o big
rm -f big.chord
./big
for many in 12 506; do
  "$CHORD" paths select --top=$many big.chord >all
  grep -v '^main ' all >chosen || fail "no path of big is among the $many most frequent"
  "$CHORD" --verify --paths=chosen gcc -O0 big.c -o chosen_of_big 2>errors
  expect_equal "$many chosen paths are proved" "" "$(grep -v "main (no path of it is chosen)" errors || true)"
done

# As published, the probes of chosen paths mix them up with others: an error, or the function is left alone with the reason.
cat >mixed.c <<'SOURCE'
volatile int v[8];
long s;
__attribute__((noinline)) void mixed(void) {
  if (v[0]) { if (v[1]) s += 1; else s += 2; } else { if (v[2]) s += 3; else s += 4; }
  if (v[3]) s += 5; else s ^= 6;
  if (v[4]) s += 7; else s ^= 8;
}
int main(void) {
  for (int i = 0; i < 32; i++) {
    for (int k = 0; k < 5; k++) v[k] = i >> k & 1;
    mixed();
  }
  return 0;
}
SOURCE
"$CHORD" --paths gcc -O0 mixed.c -o mixed
rm -f mixed.chord
./mixed
refused=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  "$CHORD" paths select --random=4 --seed=$seed mixed.chord -o chosen >/dev/null
  if "$CHORD" --verify --paths=chosen --paths-algorithm=published gcc -O0 mixed.c -o mixed 2>errors; then continue; fi
  refused=$seed
  break
done
[ -n "$refused" ] || fail "--verify accepts what mixes up paths"
expect_contains "the error" "verify: mixed: line" errors
expect_contains "the reason" "is counted as" errors
"$CHORD" --verify=skip --paths=chosen --paths-algorithm=published gcc -O0 mixed.c -o mixed 2>errors
expect_contains "the warning" "left uninstrumented: mixed (not proved: line" errors
CHORD_FLAGS='' "$CHORD" --paths=chosen --paths-algorithm=published gcc -O0 mixed.c -o mixed 2>errors
expect_contains "that is the default" "left uninstrumented: mixed (not proved: line" errors
"$CHORD" doctor ./mixed >doctor 2>&1 || true
expect_contains "the reason" "is counted as" doctor

expect_status 2 "$CHORD" --verify=sometimes gcc mixed.c -o mixed
expect_contains "values" "one of: error, skip, off" err
