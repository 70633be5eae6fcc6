#!/bin/sh
# What never reaches the assembler is untouched: -S, -E, -fsyntax-only, -o -, -M, --version.
. "$(dirname "$0")/../common.inc"
sample_program
for compiler in gcc clang; do
  for option in -S -E; do
    $compiler -O2 $option sample.c -o - >plain.out
    "$CHORD" $compiler -O2 $option sample.c -o - >woven.out 2>woven.err
    cmp plain.out woven.out || fail "$compiler $option -o - differs"
    [ ! -s woven.err ] || fail "$compiler $option says: $(cat woven.err)"
    $compiler -O2 $option sample.c -o plain.file
    "$CHORD" $compiler -O2 $option sample.c -o woven.file
    cmp plain.file woven.file || fail "$compiler $option -o FILE differs"
  done
  for option in -M --version -dumpmachine -print-search-dirs -print-prog-name=ld; do
    $compiler $option sample.c >plain.out 2>&1 || true
    "$CHORD" $compiler $option sample.c >woven.out 2>&1 || true
    if [ $option != -print-search-dirs ]; then
      cmp plain.out woven.out || fail "$compiler $option differs: $(diff plain.out woven.out)"
    fi
  done
  expect_status 0 "$CHORD" $compiler -fsyntax-only sample.c
  [ ! -s err ] || fail "-fsyntax-only prints errors"
  [ ! -s out ] || fail "-fsyntax-only is not silent"
done
left=$(find . -name '*.o')
[ -z "$left" ] || fail "left behind: $left"
