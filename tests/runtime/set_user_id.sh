#!/bin/sh
# A program with more rights than its caller takes no orders from the environment: the
# profile goes where it always goes. Needs root, to make such a program.
. "$(dirname "$0")/../e2e/common.inc"
[ "$(id -u)" = 0 ] || exit 0
sample_program
chmod 777 .
for compiler in gcc clang; do
  for level in -O0 -O2; do
    "$CHORD" $compiler $level sample.c -o sample
    chown nobody sample
    chmod u+s sample
    rm -f ./*.chord*
    CHORD_OUT=elsewhere.chord CHORD_DURABLE=1 expect_status 0 ./sample
    # Where the file system ignores the bit the order is followed.
    [ -f elsewhere.chord ] && exit 0
    expect_equal "$compiler $level: work" 3 "$(calls sample.chord work)"
    expect_equal "$compiler $level: owner" nobody "$(stat -c %U sample.chord)"
  done
done
