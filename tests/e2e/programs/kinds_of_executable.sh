#!/bin/sh
# Static, static-pie, PIE and position-dependent programs, with every linker at hand.
. "$(dirname "$0")/../common.inc"
sample_program
try() { # try NAME COMMAND…
  name=$1
  shift
  rm -f kind kind.chord
  "$CHORD" "$@" -O2 sample.c -o kind || fail "$name does not build"
  expect_equal "$name output" 4995 "$(CHORD_OUT=kind.chord ./kind)"
  expect_equal "$name calls of work" 3 "$(calls kind.chord work)"
  expect_equal "$name calls of unused" 0 "$(calls kind.chord unused)"
  expect_equal "$name calls of main" 1 "$(calls kind.chord main)"
}
for compiler in gcc clang; do
  try "$compiler pie" $compiler -fPIE -pie
  try "$compiler no-pie" $compiler -fno-pie -no-pie
  try "$compiler static" $compiler -static
  try "$compiler static-pie" $compiler -fPIE -static-pie
  try "$compiler gc-sections" $compiler -ffunction-sections -Wl,--gc-sections
  try "$compiler stripped of symbols" $compiler -s
  for linker in lld mold gold bfd; do
    command -v ld.$linker >/dev/null || continue
    try "$compiler $linker" $compiler -fuse-ld=$linker
  done
done
try "gcc lto" gcc -flto=1
