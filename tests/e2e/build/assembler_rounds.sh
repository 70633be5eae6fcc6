#!/bin/sh
# Assembling woven code takes time in proportion to its size: GNU as need not go through all of it again for each jump to code out
# of line. Measured in instructions that `as` executes, so that a busy machine makes no difference.
. "$(dirname "$0")/../common.inc"
command -v valgrind >/dev/null || { echo "skipped: no valgrind" >&2; exit 77; }
real=$(command -v as)
mkdir bin
cat >bin/as <<WRAPPER
#!/bin/sh
case "\$*" in *--version*) exec $real "\$@" ;; esac
exec valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=$work/as.%p $real "\$@"
WRAPPER
chmod +x bin/as

functions() {
  for i in $(seq "$1"); do
    echo "__attribute__((noinline)) int f$i(int x) { int s = $i; for (int k = 0; k < x; k++) { if (k & $((1 + i % 7))) s += k * $((i % 13 + 1));"
    echo " else s ^= k; if (s > $((1000 + i))) s -= $((i % 17)); } return s; }"
  done
  echo 'int main(void) { return f1(3); }'
}

# The most that a run of the assembler executed: the one for the woven text.
instructions() {
  functions "$1" >many.c
  gcc -O2 -S many.c
  rm -f as.*
  PATH=$work/bin:$PATH $CHORD $mode gcc -c many.s -o many.o
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' as.* | sort -n | tail -1
}

for mode in --trace=bits "--context --paths"; do
  few=$(instructions 100)
  many=$(instructions 400)
  [ "$few" -gt 0 ] || fail "$mode: nothing was assembled"
  [ "$many" -le $((few * 42 / 10)) ] || fail "$mode: 4 times the functions take $few -> $many instructions"
  objdump -d many.o >code
  expect_contains "$mode: code that was woven" "__chord" code
done
