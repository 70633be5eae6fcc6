#!/bin/sh
# Runs add up in one profile; CHORD_OUT chooses the file; the default is <program>.chord beside it.
. "$(dirname "$0")/../common.inc"
sample_program
"$CHORD" gcc -O2 sample.c -o sample
./sample >/dev/null
[ -f sample.chord ] || fail "no sample.chord: $(ls)"
expect_equal "calls after one run" 3 "$(calls sample.chord work)"
./sample >/dev/null
./sample >/dev/null
expect_equal "calls after three runs" 9 "$(calls sample.chord work)"
expect_equal "calls of main" 3 "$(calls sample.chord main)"
mkdir elsewhere
(cd elsewhere && ../sample >/dev/null)
[ ! -e elsewhere/sample.chord ] || fail "the profile belongs beside the program"
expect_equal "calls after a run from elsewhere" 12 "$(calls sample.chord work)"
CHORD_OUT=%e-%p.chord ./sample >/dev/null
set -- sample-[0-9]*.chord
expect_equal "number of %e-%p profiles" 1 $#
[ -f "$1" ] || fail "CHORD_OUT=%e-%p.chord made nothing: $(ls)"
# Several at once: every segment intact.
rm -f many.chord
for i in $(seq 30); do CHORD_OUT=many.chord ./sample >/dev/null & done
wait
expect_equal "calls after thirty runs at once" 90 "$(calls many.chord work)"
"$CHORD" merge -o merged.chord many.chord sample.chord
expect_equal "calls after merging" 102 "$(calls merged.chord work)"

# A loop that counts down in a register leaves a number below zero in each of them.
cat > down.c <<'END'
#include <stdlib.h>
int main(int argc, char **argv) {
    unsigned long sum = 0;
    for (unsigned n = (unsigned)atoi(argv[argc - 1]); n != 0; --n) {
        sum = sum * 3 + n;
        __asm__ volatile("" : "+r"(sum));
    }
    return sum == 1;
}
END
"$CHORD" gcc -O2 down.c -o down
CHORD_OUT=down-1000.chord ./down 1000
CHORD_OUT=down-500.chord ./down 500
"$CHORD" merge -o down.chord down-1000.chord down-500.chord
executed() {
  "$CHORD" report --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["instructions"])'
}
first=$(executed down-1000.chord) second=$(executed down-500.chord)
[ "$first" -gt 3000 ] || fail "1000 rounds executed $first instructions"
expect_equal "instructions after merging" $((first + second)) "$(executed down.chord)"
