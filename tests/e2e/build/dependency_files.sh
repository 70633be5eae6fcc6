#!/bin/sh
# -MD, -MMD, -MF, -MT, -MP write the same dependency files.
. "$(dirname "$0")/../common.inc"
mkdir plain woven
printf '#include "part.h"\n#include <stddef.h>\nint f(void) { return PART; }\n' >unit.c
printf '#define PART 3\n' >part.h
for compiler in gcc clang; do
  for options in -MD -MMD "-MMD -MP" "-MD -MT goal.o" "-MMD -MF named.d"; do
    rm -f plain/* woven/*
    for side in plain woven; do
      prefix=
      [ $side = plain ] || prefix=$CHORD
      (cd $side && ${prefix:+"$prefix"} $compiler $options -O1 -I.. -c ../unit.c -o unit.o)
    done
    expect_equal "$compiler $options files" "$(ls plain)" "$(ls woven)"
    for file in plain/*.d; do
      cmp "$file" "woven/${file#plain/}" || fail "$compiler $options: $file differs"
    done
  done
done
