#!/bin/sh
# What every woven object carries, and what those built with a mode carry: how much, and what it refers to and defines.
. "$(dirname "$0")/../e2e/common.inc"
runtime=$(dirname "$CHORD")/../lib/chord/chord_runtime.s
as "$runtime" -o runtime.o
nm -u runtime.o | awk '{ print $2 }' | sort >undefined
sort "$root/runtime/allowed_symbols.txt" >allowed
diff allowed undefined >out || fail "undefined symbols: $(cat out)"
nm -g --defined-only runtime.o | awk '{ print $3 }' | grep -v '^__chord_' >others || :
expect_equal "other symbols" "" "$(echo $(sort others))"
nm -g --defined-only runtime.o | awk '{ print $3 }' >own
readelf -sW runtime.o | awk '$7 != "UND" && $5 != "LOCAL" && $6 == "DEFAULT" { print $8 }' >visible
[ ! -s visible ] || fail "visible outside the module: $(cat visible)"
size=$(size -A runtime.o | awk '$1 ~ /^\.text/ { n += $2 } END { print n }')
[ "$size" -le 49152 ] || fail "$size bytes of code"
readelf -sW runtime.o | awk '$5 == "LOCAL" && $8 ~ /chord/ && $8 !~ /^[.](text|note|data|bss|rodata)|^__chord_text(_end)?$|^__chord_runtime_1$|^[.]Lchordrt_/' >named
[ ! -s named ] || fail "private names are kept: $(cat named)"

# Whoever unwinds from the runtime, at any instruction, finds the frame: what a compiler pushes is said by a rule. (gcc -Oz pushes and pops numbers, and does not say so.)
for group in "$(dirname "$runtime")"/chord_runtime*.s; do
  awk 'pushed && !/\.cfi_/ { print NR ": " last } { pushed = /^[ \t]*pushq?[ \t]+[$]/; last = $0 }' "$group" >unsaid
  [ ! -s unsaid ] || fail "$group: no rule follows: $(head -3 unsaid)"
done

# A mode uses nothing but the core, what woven code has, and the libraries that the core uses.
for group in "$(dirname "$runtime")"/chord_runtime_*.s; do
  as "$group" -o mode.o
  nm -g --defined-only mode.o | awk '{ print $3 }' | grep -v '^__chord_' >others || :
  expect_equal "other symbols of $group" "" "$(echo $(sort others))"
  nm -u mode.o | awk '{ print $2 }' | sort >undefined
  awk '{ print $1 }' allowed own "$root/runtime/allowed_in_modes.txt" | sort -u >reachable
  comm -23 undefined reachable >out
  [ ! -s out ] || fail "$group refers to $(echo $(cat out))"
done
