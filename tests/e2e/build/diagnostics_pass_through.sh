#!/bin/sh
# Compiler diagnostics and exit codes are the compiler's own, to the byte.
. "$(dirname "$0")/../common.inc"
printf 'int main(void) { return undeclared; }\n' >bad.c
printf '#include <stdio.h>\nint main(void) { int unused = 3; printf("%%s", 7); return 0; }\n' >warn.c
for compiler in gcc clang; do
  for source in bad.c warn.c missing.c; do
    plain=0 woven=0
    $compiler -Wall -c $source -o plain.o >plain.out 2>plain.err || plain=$?
    "$CHORD" $compiler -Wall -c $source -o woven.o >woven.out 2>woven.err || woven=$?
    expect_equal "$compiler $source status" $plain $woven
    cmp plain.out woven.out || fail "$compiler $source: standard output differs"
    cmp plain.err woven.err || fail "$compiler $source: diagnostics differ: $(cat woven.err)"
  done
done
printf 'void absent(void); int main(void) { absent(); return 0; }\n' >link.c
expect_status 1 "$CHORD" gcc link.c -o link
expect_contains "linker error" "undefined reference to \`absent'" err
# A place that cannot be written to is the assembler's to name, once, and no fault of chord's.
echo 'int f(int x) { return x + 1; }' >fine.c
for compiler in gcc "clang -fno-integrated-as"; do
  $compiler -c fine.c -o nowhere/fine.o 2>plain.err || :
  "$CHORD" $compiler -c fine.c -o nowhere/fine.o 2>woven.err && fail "$compiler: an object in no folder"
  cmp plain.err woven.err || fail "$compiler: no such folder: $(cat woven.err)"
done
