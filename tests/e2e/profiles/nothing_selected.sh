#!/bin/sh
# With everything excluded the object is what the compiler makes, to the byte.
. "$(dirname "$0")/../common.inc"
sample_program
printf '#include <string>\n#include <stdexcept>\nstd::string f(int n) { if (n < 0) throw std::runtime_error("x"); return std::string(n, 97); }\n' >unit.cc
for options in -O0 "-O2 -g" "-O2 -fPIC -ffunction-sections" "-Os -pipe"; do
  for compiler in gcc clang; do
    integrated=
    [ $compiler = gcc ] || integrated=-fno-integrated-as
    $compiler $integrated $options -c sample.c -o plain.o
    "$CHORD" --only=nothing $compiler $options -c sample.c -o woven.o
    cmp plain.o woven.o || fail "$compiler $options: objects differ"
  done
  g++ $options -c unit.cc -o plain.o
  "$CHORD" --only=nothing g++ $options -c unit.cc -o woven.o
  cmp plain.o woven.o || fail "g++ $options: objects differ"
done
