#!/bin/sh
# chord study contexts: what it says of calls (how many records have, how many were made, how many of those one path alone came to)
# by arithmetic.
. "$(dirname "$0")/../common.inc"
cat >calls.c <<'SOURCE'
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void leaf(void) { sink++; }
NOINLINE void node(int n) {
  if (n & 1) sink = 2;  // two paths meet
  leaf();
  if (n > 2) leaf();
  if (n > 9) leaf();
  sink++;
}
int main(void) {
  node(1);                                  // the first call of leaf, by one path
  for (int i = 0; i < 2; i++) node(i);      // the first, by two
  for (int i = 2; i < 5; i++) node(i);      // the first by three, the second by two
  node(4);                                  // both by one
  return 0;
}
SOURCE
value() { python3 -c 'import json, sys; print(json.load(open("study.json"))["rows"][0][sys.argv[1]])' "$1"; }
for compiler in gcc clang; do
  command -v $compiler >/dev/null || continue
  rm -f ./*.chord
  "$CHORD" --verify=off --context --paths $compiler -O0 calls.c -o calls
  ./calls
  "$CHORD" study contexts --json >study.json
  expect_equal "$compiler: contexts" 11 "$(value nodes)"  # main, 4 of node, 6 of leaf
  expect_equal "$compiler: calls" 16 "$(value sites)"     # 4 in main, 3 in each node
  expect_equal "$compiler: reached" 10 "$(value reached)"
  expect_equal "$compiler: used" 10 "$(value used)"
  # In main: the first node and the last one; a loop comes to its call from above and again from itself. In the first node one, in the last two.
  expect_equal "$compiler: by one path" 5 "$(value one_path)"
  expect_equal "$compiler: profile" "$(wc -c <calls.chord)" "$(value profile_bytes)"
  "$CHORD" study contexts ./calls >out
  expect_contains "$compiler: text" "by one path" out
done
# Without paths that is not known, and not said.
"$CHORD" --context gcc -O0 calls.c -o calls
rm -f ./*.chord
./calls
"$CHORD" study contexts --json >study.json
expect_equal "without paths" "None 10" "$(value one_path) $(value reached)"
# Programs that are run for it: what the plain one and each build of it take.
cat >busy.c <<'SOURCE'
static volatile unsigned sink;
__attribute__((noinline)) void step(unsigned n) { sink += n & 1 ? n : 1; }
int main(void) { for (unsigned i = 0; i < 3000000; i++) step(i); return 0; }
SOURCE
gcc -O1 busy.c -o busy
"$CHORD" --context gcc -O1 busy.c -o busy-contexts
"$CHORD" --context --paths gcc -O1 busy.c -o busy-paths
"$CHORD" study contexts ./busy ./busy-contexts ./busy-paths --json -- none >study.json
python3 - <<'PYTHON' || fail "timed: $(cat study.json)"
import json
rows = json.load(open("study.json"))["rows"]
assert sorted(r["program"] for r in rows) == ["busy-contexts", "busy-paths"], rows
for r in rows:
    plain, woven = float(r["plain_time"]), float(r["woven_time"])
    assert 1 < plain < 5000 and 1 < woven < 5000 and abs(woven / plain - float(r["overhead"])) < 0.2, r
    assert r["nodes"] == 2 and r["reached"] == 1 and r["profile_bytes"] > 0, r
PYTHON
"$CHORD" study contexts ./busy ./busy-contexts -- none >out
expect_contains "timed, text" "plain ms" out
