#!/bin/sh
# chord dump CORE: a program that takes no fatal signals crashes, and every instruction's
# count comes out of its core file as callgrind has it.
. "$(dirname "$0")/../e2e/common.inc"
for program in "$here"/cores/*; do
  flags=$(sed -n '1s|^// *||p' "$program")
  for compiler in gcc clang; do
    for level in -O0 -O2; do
      "$here/../oracle/compare.py" --core $compiler $level $flags "$program" >compared ||
        fail "$(basename "$program") $compiler $level: $(cat compared)"
    done
  done
  # What follows from the paths that were counted, and from those that activations were on.
  for compiler in gcc clang; do
    "$here/../oracle/compare.py" --core --chord-flags=--paths $compiler -O2 $flags "$program" >compared ||
      fail "$(basename "$program") $compiler with paths: $(cat compared)"
  done
  # What all calling contexts counted.
  "$here/../oracle/compare.py" --core --chord-flags=--context gcc -O2 $flags "$program" >compared ||
    fail "$(basename "$program") with contexts: $(cat compared)"
  # And its counters of events agree with them.
  "$here/../oracle/compare.py" --core --chord-flags="--place=optimal --events=instructions --budget" gcc -O2 $flags "$program" >compared ||
    fail "$(basename "$program") with events: $(cat compared)"
done
