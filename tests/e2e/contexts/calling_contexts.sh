#!/bin/sh
# `--context`: counts that follow from arithmetic, the ways to tell contexts apart, runs that add up, a
# fork, too little memory, reports of chosen contexts, and clear answers where there is nothing to show.
. "$(dirname "$0")/../common.inc"
cat >calls.c <<'SOURCE'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink, rounds = 5;
NOINLINE void leaf(int n) {
  for (int i = 0; i < n; i++)
    sink += i;
}
NOINLINE void twice(int n) {
  leaf(n);
  leaf(2 * n); sink++;
}
NOINLINE void down(int n) {
  if (n > 0) down(n - 1);
  leaf(1); sink++;
}
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < rounds; i++) twice(10);
  down(6);
  leaf(3);
  if (argc > 1) {
    pid_t child = fork();
    twice(child == 0 ? 1 : 2);
    if (child != 0) wait(NULL);
  }
  return 0;
}
SOURCE

# chains: function (site) … calls, one context a line.
chains() {
  "$CHORD" contexts "$@" --json >contexts.json
  python3 - <<'PYTHON'
import json
rows = {r["id"]: r for r in json.load(open("contexts.json"))["rows"]}
def chain(r):
    above = chain(rows[r["parent"]]) + ">" if r["parent"] else ""
    return above + r["function"] + (":" + r["site"].split(":")[1] if r["site"] else "")
print(" ".join(sorted(f"{chain(r)}={r['calls']}" for r in rows.values())))
PYTHON
}

# executed …: how many instructions of line 8 were.
executed() {
  "$CHORD" report calls.chord "$@" --by=line --json >lines.json
  python3 -c 'import json; print(sum(r["executed"] for r in json.load(open("lines.json"))["rows"] if r["line"] == 8))'
}

check_build() {
  rm -f ./*.chord
  "$CHORD" --context $build -g calls.c -o calls
  ./calls
  expect_equal "$build: contexts" \
    "main=1 main>down:21=7 main>down:21>leaf:16=7 main>leaf:22=1 main>twice:20=5 main>twice:20>leaf:11=5 main>twice:20>leaf:12=5" "$(chains)"
  ./calls
  expect_equal "$build: two runs" \
    "main=2 main>down:21=14 main>down:21>leaf:16=14 main>leaf:22=2 main>twice:20=10 main>twice:20>leaf:11=10 main>twice:20>leaf:12=10" "$(chains)"
  "$CHORD" merge -o merged calls.chord
  expect_equal "$build: merged" "$(chains calls.chord)" "$(chains merged)"
  expect_equal "$build: calls of leaf" 36 "$(calls calls.chord leaf)"
  expect_equal "$build: functions below twice" "('leaf', 20)" "$("$CHORD" report calls.chord --context='main > twice > leaf' --by=function --json >f.json; python3 -c '
import json
print(*((r["function"], r["calls"]) for r in json.load(open("f.json"))["rows"] if r["calls"]))')"
  # What a line took is the sum over its contexts.
  expect_equal "$build: line 8 is executed in contexts" "$(executed)" "$(($(executed --context='main > twice > leaf') + $(executed --context='main > down > leaf') + $(executed --context='main > leaf')))"
  "$CHORD" annotate calls.chord --context='* > down > *' calls.c >annotated
  expect_contains "annotated" "leaf" annotated
  rm -f ./*.chord
  ./calls fork
  expect_equal "$build: parent and child" "twice 7 leaf 14" "$("$CHORD" contexts --json >c.json; python3 -c '
import json
rows = json.load(open("c.json"))["rows"]
print("twice", sum(r["calls"] for r in rows if r["function"] == "twice"), "leaf", sum(r["calls"] for r in rows if r["function"] == "leaf" and "twice" in [q["function"] for q in rows if q["id"] == r["parent"]]))')"
}
each_build check_build

"$CHORD" --context=functions gcc -O1 -g calls.c -o calls
rm -f ./*.chord
./calls
expect_equal "functions" "main=1 main>down=7 main>down>leaf=7 main>leaf=1 main>twice=5 main>twice>leaf=10" "$(chains)"
"$CHORD" events --by=callsite --json >sites.json
expect_equal "what calls took is not known where they are not told apart" "None" \
  "$(python3 -c 'import json; print(*{r["inclusive"] for r in json.load(open("sites.json"))["rows"]})')"

"$CHORD" --context=depth:3 gcc -O1 -g calls.c -o calls
rm -f ./*.chord
./calls
expect_equal "depth" "1 1 5" "$("$CHORD" contexts --function=down --json >c.json; python3 -c '
import json
print(*sorted(r["calls"] for r in json.load(open("c.json"))["rows"]))')"

# Too little memory: what finds none is counted by function, and said.
cat >many.c <<'SOURCE'
#define NOINLINE __attribute__((noinline))
static volatile int sink, rounds = 5;
NOINLINE void f0(void) { sink++; }
#define LEVEL(f, g) NOINLINE void f(void) { g(); g(); g(); sink++; }
LEVEL(f1, f0) LEVEL(f2, f1) LEVEL(f3, f2) LEVEL(f4, f3) LEVEL(f5, f4) LEVEL(f6, f5) LEVEL(f7, f6) LEVEL(f8, f7) LEVEL(f9, f8)
int main(void) { f9(); return 0; }
SOURCE
"$CHORD" --context gcc -O1 many.c -o many
rm -f ./*.chord
./many
expect_equal "contexts of f0" "19683 19683" "$("$CHORD" contexts --function=f0 --json >c.json; python3 -c '
import json
rows = json.load(open("c.json"))["rows"]
print(len(rows), sum(r["calls"] for r in rows))')"
rm -f ./*.chord
CHORD_CONTEXT_MEMORY=1 ./many
"$CHORD" contexts --json >c.json 2>err
expect_contains "overflow" "found no memory for their contexts" err
expect_equal "calls of f0, some without contexts" "19683 True" "$(python3 -c '
import json
rows = [r for r in json.load(open("c.json"))["rows"] if r["function"] == "f0"]
print(sum(r["calls"] for r in rows), any(r["kind"] == "overflow" for r in rows) and len(rows) > 100)')"

# Nothing to show, and what does not go together.
"$CHORD" gcc -O1 calls.c -o plain
rm -f ./*.chord
./plain
expect_status 1 "$CHORD" contexts
expect_contains "no contexts" "holds no calling contexts" err
expect_status 2 "$CHORD" --context --paths=some gcc -c calls.c
expect_contains "chosen paths" "--context and --paths=some do not go together" err
expect_status 2 "$CHORD" --context --paths --except-noise gcc -c calls.c
expect_contains "paths that never return" "--context and --except-noise do not go together" err
expect_status 2 "$CHORD" --context=depth:0 gcc -c calls.c
expect_status 2 "$CHORD" --context=depth:65536 gcc -c calls.c
