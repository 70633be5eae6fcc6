#!/bin/sh
# A jump to a function of another file is a call from there if that keeps a record, which the linker says, and only the end of
# the jumping function if it was built without chord; with every linker, and however the program is linked.
. "$(dirname "$0")/../common.inc"
cat >jumps.c <<'SOURCE'
extern int other(int), built_without(int);
__attribute__((noinline)) int to_other(int n) { return other(n + 1); }
__attribute__((noinline)) int to_plain(int n) { return built_without(n + 1); }
int main(void) { return to_other(1) + to_plain(2) != 5 + 6; }
SOURCE
echo 'volatile int count; int other(int n) { count++; return n + 3; }' >other.c
echo 'extern int other(int); int built_without(int n) { int r = other(n); return r; }' >without.c
gcc -O0 -c without.c
for linker in bfd gold lld mold; do
  command -v ld.$linker >/dev/null || continue
  for how in -pie -no-pie -static "-ffunction-sections -Wl,--gc-sections"; do
    rm -f ./*.chord
    "$CHORD" --verify --context gcc -O2 -fuse-ld=$linker $how jumps.c other.c without.o -o jumps
    ./jumps
    "$CHORD" contexts --json >contexts.json
    # What built_without calls is called where to_plain was.
    expect_equal "$linker $how" "main:1 main>other:1 main>to_other:1 main>to_other>other:1 main>to_plain:1" "$(python3 -c '
import json
rows = {r["id"]: r for r in json.load(open("contexts.json"))["rows"]}
def chain(r):
    return (chain(rows[r["parent"]]) + ">" if r["parent"] else "") + r["function"]
print(*sorted(f"{chain(r)}:{r['"'calls'"']}" for r in rows.values()))')"
  done
done
