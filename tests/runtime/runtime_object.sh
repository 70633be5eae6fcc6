#!/bin/sh
# What every woven object carries: how much, and what it refers to and defines.
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
[ "$size" -le 55296 ] || fail "$size bytes of code"
