#!/bin/sh
# Every linker keeps one copy of the runtime of several woven objects, in every kind
# of program, and whatever else was asked of it.
. "$(dirname "$0")/../e2e/common.inc"
cat >one.c <<'SOURCE'
#include <stdlib.h>
int work(int n);
__attribute__((noinline)) void down(int n) {
  if (n == 0) exit(3);
  down(n - 1);
  work(n);
}
int main(void) {
  for (int i = 0; i < 10; i++) work(i);
  down(4);
  return 0;
}
SOURCE
printf 'int dead(int n) { return n; }\nint work(int n) { return n + 1; }\n' >two.c
flags='-O1 -fno-optimize-sibling-calls -ffunction-sections'
"$CHORD" gcc $flags -fPIE -c one.c two.c
for linker in bfd gold lld mold; do
  command -v ld.$linker >links || continue
  for kind in -pie -static -static-pie "-pie -Wl,--gc-sections -Wl,-z,now" "-pie -Wl,--as-needed -s"; do
    # gold knows neither static PIE nor that a section goes with the code it describes.
    case $linker$kind in gold-static-pie | gold*gc-sections*) continue ;; esac
    gcc -fuse-ld=$linker $kind one.o two.o -o program
    rm -f p.chord
    CHORD_OUT=p.chord expect_status 3 ./program
    case $kind in *-s) continue ;; esac # the map is stripped, too
    expect_equal "$linker $kind: work" 10 "$(calls p.chord work)"
    expect_equal "$linker $kind: down" 5 "$(calls p.chord down)"
  done
done
ld -r one.o two.o -o both.o
gcc both.o -o program
rm -f p.chord
CHORD_OUT=p.chord expect_status 3 ./program
expect_equal "ld -r: down" 5 "$(calls p.chord down)"
"$CHORD" gcc $flags -fno-pie -c one.c two.c
gcc -no-pie one.o two.o -o program
rm -f p.chord
CHORD_OUT=p.chord expect_status 3 ./program
expect_equal "no PIE: down" 5 "$(calls p.chord down)"
