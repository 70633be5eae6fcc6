#!/bin/sh
# make -j with CC="chord gcc": forty units at a time, nothing shared, nothing lost.
. "$(dirname "$0")/../common.inc"
objects=
for i in $(seq 40); do
  printf 'int f%d(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= i * %d; return s; }\n' "$i" "$i" >f$i.c
  objects="$objects f$i.o"
done
{
  for i in $(seq 40); do echo "int f$i(int);"; done
  echo '#include <stdio.h>'
  echo 'int main(void) { int s = 0;'
  for i in $(seq 40); do echo "s += f$i($i);"; done
  printf '%s\n' 'printf("%d\n", s); return 0; }'
} >main.c
printf 'all: main.o%s\n\t$(CC) $^ -o all\n' "$objects" >Makefile
make -s CC=gcc CFLAGS=-O2 && expected=$(./all)
rm -f ./*.o all
PATH=$(dirname "$CHORD"):$PATH make -s -j8 CC="chord gcc" CFLAGS=-O2
expect_equal output "$expected" "$(CHORD_OUT=m.chord ./all)"
"$CHORD" report m.chord --by=function --json >m.json
expect_equal "functions called once" 41 "$(python3 -c 'import json; print(sum(r["calls"] == 1 for r in json.load(open("m.json"))["rows"]))')"
