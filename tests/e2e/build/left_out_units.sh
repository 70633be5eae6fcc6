#!/bin/sh
# A unit that cannot be woven as a whole is named when it is built, and its functions are in
# the reports with the reason.
. "$(dirname "$0")/../common.inc"
unset CHORD_FLAGS
cat >other.c <<'C'
int twice(int x) { return 2 * x; }
int hidden(int x);
int main(void) { return hidden(twice(1)) - 3; }
C
hidden() { printf '__asm__("%s");\nint hidden(int x) { return x + 1; }\n' "$1" >hidden.c; }

# try WHAT REASON COMPILER
try() {
  rm -f p.chord
  "$CHORD" $3 -g hidden.c other.c -o prog 2>err || fail "$1: does not build: $(cat err)"
  expect_equal "$1: warnings" 1 "$(wc -l <err)"
  expect_contains "$1" "chord: warning: hidden.c: left uninstrumented: $2" err
  CHORD_OUT=p.chord ./prog || fail "$1: wrong result"
  "$CHORD" report p.chord >out
  expect_contains "$1" "left uninstrumented: 1 function" out
  expect_contains "$1" "$2" out
  expect_equal "$1: calls" 1 "$(calls p.chord twice)"
  "$CHORD" doctor p.chord >out
  expect_contains "$1: doctor" hidden out
}
for compiler in gcc "gcc -pipe" clang; do
  hidden '.struct 0; field: .struct 4; .text'
  try "$compiler .struct" "a directive in it moves or repeats code" "$compiler"
  hidden '.rept 3; nop; .endr'
  try "$compiler .rept" "it uses .rept" "$compiler"
done

# The assembler cannot write what we ask it for on the way, a file in memory or in TMPDIR.
mkdir bin
cat >bin/as <<'SH'
#!/bin/bash
if [[ "$* $(readlink "${@: -1}")" = *layout.[os]* ]] && grep -q hidden "${@: -1}"; then
  echo "as: BFD: layout.o: final close failed: No space left on device" >&2
  exit 1
fi
exec /usr/bin/as "$@"
SH
chmod +x bin/as
printf 'int hidden(int x) { return x + 1; }\nint outer(int x) { return hidden(x); }\n' >hidden.c
sed -i 's/hidden/outer/g' other.c
status=0
PATH=$PWD/bin:$PATH "$CHORD" gcc hidden.c other.c -o prog 2>err || status=$?
expect_equal "full TMPDIR: status" 0 "$status"
expect_contains "full TMPDIR" "hidden.c: left uninstrumented: the assembler cannot lay it out: as: BFD: layout.o: final close failed: No space left on device" err
CHORD_OUT=q.chord ./prog
expect_equal "full TMPDIR: calls" 1 "$(calls q.chord twice)"
"$CHORD" report q.chord >out
expect_contains "full TMPDIR" "left uninstrumented: 2 functions" out

# A mistake of the user's is the assembler's to tell, once.
hidden '.rept 3; nop; .endr; nonsense'
expect_status 1 "$CHORD" gcc -c hidden.c
expect_equal "a mistake" 1 "$(grep -c nonsense err)"
expect_absent "a mistake" chord: err
