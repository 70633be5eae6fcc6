#!/bin/sh
# Misses of modelled data and instruction caches are cachegrind's, for a function with no code of libraries in between and whose data nobody
# has used before. (Predictors cannot be compared so: cachegrind's has seen the start of the process, and two branches may share a counter.)
. "$(dirname "$0")/../common.inc"
command -v valgrind > /dev/null || { echo "there is no valgrind (script/bootstrap installs it)"; exit 1; }
cat > work.c <<'END_OF_C'
static struct { unsigned cells[1 << 16]; unsigned table[1 << 12]; volatile unsigned sum; } d __attribute__((aligned(4096)));
// Strides, a random walk, a matrix transposed, lines that conflict: everything in registers.
__attribute__((noinline, aligned(64))) void work(void) {
  unsigned sum = 0, x = 12345;
  for (unsigned i = 0; i < 1 << 16; i += 7) d.cells[i] = i;
  for (unsigned i = 0; i < 20000; ++i) {
    x = x * 1103515245 + 12345;
    sum += d.cells[x >> 16];
    if (x & 0x10000) d.table[x >> 20] += sum;
    else if (x & 0x20000) sum ^= d.table[x >> 21];
  }
  for (unsigned i = 0; i < 64; ++i)
    for (unsigned k = 0; k < i; ++k) {
      unsigned y = d.table[i * 64 + k];
      d.table[i * 64 + k] = d.table[k * 64 + i];
      d.table[k * 64 + i] = y;
    }
  for (unsigned round = 0; round < 20; ++round)
    for (unsigned i = 0; i < 12; ++i) sum += d.cells[i * 1024 + round];
  d.sum = sum;
}
int main(void) { work(); return 0; }
END_OF_C
for build in "gcc -O2" "gcc -Os" "clang -O2"; do
  for caches in "32768,8,64 4096,2,64" "1024,2,32 256,1,32" "4096,1,64 512,4,64"; do
    set -- $caches
    rm -f ./*.chord cachegrind.out
    $build -g work.c -o plain
    valgrind --tool=cachegrind --cache-sim=yes --D1=$1 --I1=$2 --LL=262144,8,64 --cachegrind-out-file=cachegrind.out ./plain 2> err || fail "cachegrind: $(cat err)"
    "$CHORD" --metrics=sim:l1d=$1,sim:l1i=$2 --layout=plain $build -g work.c -o woven
    ./woven
    "$CHORD" report --by=line --json > lines.json
    "$CHORD" report --by=function --json > functions.json
    python3 - <<'END_OF_PYTHON' || fail "$build, caches of $caches"
import collections, json
# Not where the function begins and ends: its frame is at other addresses.
inner = range(4, 21)
ours = {r["line"]: r["metrics"].get("sim:l1d", 0) for r in json.load(open("lines.json"))["rows"] if r["line"] in inner}
code = next(r["metrics"]["sim:l1i"] for r in json.load(open("functions.json"))["rows"] if r["function"] == "work")
theirs, their_code = collections.Counter(), 0
inside = False
for line in open("cachegrind.out"):
    words = line.split()
    if line.startswith("events:"): events = words[1:]
    elif line.startswith("fn="): inside = line.strip() == "fn=work"
    elif inside and words and words[0].isdigit():
        cost = dict(zip(events, map(int, words[1:])))
        if int(words[0]) in inner: theirs[int(words[0])] += cost["D1mr"] + cost["D1mw"]
        their_code += cost["I1mr"]
assert sum(theirs.values()) > 1000 and their_code > 0
for line in inner: assert ours.get(line, 0) == theirs[line], (line, ours, theirs)
assert code == their_code, (code, their_code)
END_OF_PYTHON
  done
done
