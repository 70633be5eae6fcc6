#!/bin/sh
# What names a context: its number is the same in every run of a build, wherever the program is loaded, and in every thread; from build to build contexts
# are matched by their chains, and how certain that is, is said. What listings leave out below a share.
. "$(dirname "$0")/../common.inc"
cat >named.c <<'SOURCE'
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
#ifndef WORK
#define WORK work
#endif
static volatile int sink;
NOINLINE void leaf(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
NOINLINE void WORK(int n) {
  for (int i = 0; i < 2; i++) sink = 3 * sink + n - i;
  leaf(n);
  sink = 0;
}
NOINLINE void other(void) {
#ifdef NEW
  sink = 5;
#endif
  sink = 3;
}
static void *begin(void *n) {
  WORK(*(int *)n);
  return 0;
}
int main(int argc, char **argv) {
  (void)argv;
  int n = 100 * argc;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, begin, &n);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  WORK(n);
  leaf(3);
  other();
  sink = 2;
  return 0;
}
SOURCE
cat >chains.py <<'PYTHON'
import json, sys
whole = json.load(open(sys.argv[1]))["rows"]
assert all(list(r)[:8] == ["id", "parent", "function", "demangled", "site", "calls", "exclusive", "inclusive"] and "thread" in r for r in whole), whole[0]
ids = {(r["id"], r["thread"]): r for r in whole}
assert len(ids) == len(whole) and all(r["parent"] == "" or (r["parent"], r["thread"]) in ids for r in whole)
print("\n".join(sorted(f'{r["id"]} {r["parent"]} {r["function"]} {r["site"]}' for r in whole)))
PYTHON
# What the listing calls contexts, with what it says of them in every run.
names() {
  "$CHORD" contexts "$@" --json >c.json
  python3 chains.py c.json
}
for build in "gcc -O1" "clang -O2"; do
  rm -rf ./*.chord elsewhere
  for version in "old" "new -DNEW" "renamed -DWORK=task"; do
    # shellcheck disable=SC2086
    "$CHORD" --context $build -g named.c -o ${version%% *} -pthread ${version#"${version%% *}"}
  done
  CHORD_OUT=one.chord ./old
  CHORD_OUT=two.chord LONGER="$(head -c 5000 /dev/zero | tr '\0' x)" setarch -R ./old more arguments
  mkdir elsewhere
  cp old elsewhere/copy
  CHORD_OUT=three.chord ./elsewhere/copy x
  one=$(names one.chord)
  expect_equal "$build: contexts" 8 "$(echo "$one" | wc -l)"
  expect_equal "$build: another run" "$one" "$(names two.chord)"
  expect_equal "$build: another place" "$one" "$(names three.chord)"
  # What a thread begins with is a root as main is, and both threads have it.
  expect_equal "$build: threads" "$(echo "$one" | sort -u)" "$(names one.chord --by-thread | sort -u)"

  CHORD_OUT=new.chord ./new x
  CHORD_OUT=renamed.chord ./renamed x
  matches() {
    expect_status 1 "$CHORD" diff one.chord "$1" --by=context --json
    mv out diff.json
    python3 -c 'import json; print(*sorted(r["context"] + " " + r["match"] for r in json.load(open("diff.json"))["rows"] if r["state"] == "changed"), sep="\n")'
  }
  expect_equal "$build: the same build" "begin > work > leaf build
main > work > leaf build" "$(matches three.chord)"
  expect_equal "$build: one function differs" "begin > work > leaf shape
main > other name
main > work > leaf shape" "$(matches new.chord)"
  expect_equal "$build: one function has another name" "begin > task > leaf moved
main > task > leaf moved" "$(matches renamed.chord)"

  # Below a tenth of all there are leaf from main, other, and what threads begin with themselves.
  expect_equal "$build: threshold" "$("$CHORD" contexts one.chord --json | python3 -c '
import json, sys
whole = json.load(sys.stdin)
print(*(r["id"] for r in whole["rows"] if 10 * r["inclusive"] >= whole["instructions"]))')" "$("$CHORD" contexts one.chord --threshold=10 --json 2>err | python3 -c '
import json, sys
print(*(r["id"] for r in json.load(sys.stdin)["rows"]))')"
  expect_contains "$build: left out" "2 contexts below 10 % are left out" err
done
