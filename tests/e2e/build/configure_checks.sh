#!/bin/sh
# The questions configure scripts ask a compiler get the same answers.
. "$(dirname "$0")/../common.inc"
ask() { # ask COMPILER…: one line per question
  printf 'int main(void) { return 0; }\n' >conftest.c
  "$@" conftest.c -o conftest 2>/dev/null && ./conftest && echo works
  "$@" -c conftest.c 2>/dev/null && [ -f conftest.o ] && echo objects
  printf 'choke me\n' >conftest.c
  "$@" -c conftest.c 2>/dev/null || echo rejects
  printf '#include <no/such/header.h>\n' >conftest.c
  "$@" -E conftest.c >/dev/null 2>&1 || echo no header
  printf 'char absent_function(); int main(void) { return absent_function(); }\n' >conftest.c
  "$@" conftest.c -o conftest 2>/dev/null || echo no function
  printf '#include <math.h>\nint main(int c, char **v) { (void)v; return (int)sqrt((double)c) - 1; }\n' >conftest.c
  "$@" conftest.c -lm -o conftest 2>/dev/null && ./conftest && echo libm
  printf 'int size[sizeof(long) == 8 ? 1 : -1];\n' >conftest.c
  "$@" -c conftest.c 2>/dev/null && echo long is 8
  : >conftest.c
  "$@" -c conftest.c 2>/dev/null && echo empty
  "$@" -dM -E -x c /dev/null | grep -c '#define __x86_64__'
  "$@" -print-file-name=libc.so.6 | xargs basename
  "$@" -v >/dev/null 2>&1 && echo version
  "$@" -Wl,--version conftest.c >/dev/null 2>&1 && echo linker
  "$@" --no-such-option conftest.c >/dev/null 2>&1 || echo unknown option
}
for compiler in gcc clang; do
  ask $compiler >plain.answers
  ask "$CHORD" $compiler >woven.answers
  diff plain.answers woven.answers || fail "$compiler answers differ"
  [ "$(wc -l <plain.answers)" -ge 10 ] || fail "too few answers: $(cat plain.answers)"
done
