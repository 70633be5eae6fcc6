#!/bin/sh
# An installed copy works from its own folder, needs nothing of the build, and is found by CMake and pkg-config.
. "$(dirname "$0")/../common.inc"
build=${CHORD_BUILD:-$root/build}
cmake --install "$build" --prefix "$work/installed" >log 2>&1 || fail "$(cat log)"
CHORD=$work/installed/bin/chord
[ -x "$CHORD" ] || fail "no bin/chord: $(find installed -type f)"
[ -f installed/include/chord/chord.h ] || fail "no include/chord/chord.h: $(find installed -type f)"
[ -f installed/share/chord/small-core.costs ] || fail "no share/chord/small-core.costs: $(find installed -type f)"
mv installed 'moved copy'
CHORD="$work/moved copy/bin/chord"
sample_program
for compiler in gcc clang; do
  "$CHORD" $compiler -O2 sample.c -o sample
  expect_equal "$compiler output" 4995 "$(CHORD_OUT=i.chord ./sample)"
  expect_equal "$compiler calls" 3 "$(calls i.chord work)"
  rm i.chord
done
expect_equal "the program needs no library of ours" 0 "$(ldd ./sample | grep -c chord || true)"
find 'moved copy' -name 'chord*onfig.cmake' | grep -q . || fail "no CMake package"
find 'moved copy' -name 'chord.pc' | grep -q . || fail "no pkg-config file"
