#!/bin/sh
# A profile of another build is refused by name; a program gone, or without map, is named too. Unless what reading needs
# was kept beside the profile (profiles_outlive_builds.sh), which this test forbids.
. "$(dirname "$0")/../common.inc"
sample_program
"$CHORD" gcc -O2 sample.c -o sample
CHORD_KEEP_MAPS=0 CHORD_OUT=s.chord ./sample >/dev/null
sed 's/sum += i/sum += i * 3/' sample.c >changed.c
mv sample first
"$CHORD" gcc -O2 changed.c -o sample
expect_status 1 "$CHORD" report s.chord
expect_contains "another build" "chord: error: " err
expect_contains "another build is explained" "build" err
mv first sample
expect_status 0 "$CHORD" report s.chord
objcopy --remove-section=.chord.map sample sample.bare
mv sample.bare sample
expect_status 1 "$CHORD" report s.chord
expect_contains "no map" "chord: error: " err
expect_contains "no map is explained" "map" err
rm sample
expect_status 1 "$CHORD" report s.chord
expect_contains "no program" "chord: error: " err
expect_contains "the program is named" "sample" err
rm -f ./*.chord
expect_status 1 "$CHORD" report
expect_contains "no profile here" "chord: hint: " err
