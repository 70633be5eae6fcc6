#!/bin/sh
# One answer for many programs: a library linked into all of them is one, a folder stands for its profiles, lines and
# inline functions add up, and one program that cannot be read does not hide the others.
. "$(dirname "$0")/../common.inc"
mkdir -p project/lib project/tests
cd project
printf 'int twice(int n) {\n  return n + n;\n}\nint never(int n) {\n  return n - 1;\n}\n' >lib/lib.c
printf 'static inline __attribute__((noinline)) int half(int n) {\n  return n / 2;\n}\nint twice(int n);\nint never(int n);\n' >lib/lib.h
for n in 1 2 3; do
  cat >tests/test$n.c <<SOURCE
#include "../lib/lib.h"
__attribute__((noinline)) int only$n(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10 * $n; i++) sum += twice(i) + half(i);
  return only$n(sum) == -1;
}
SOURCE
done
"$CHORD" gcc -O1 -g -c "$PWD/lib/lib.c" -o lib.o
ar rcs libx.a lib.o
"$CHORD" gcc -O1 -g -fPIC -shared "$PWD/lib/lib.c" -o libx.so
for n in 1 2 3; do
  "$CHORD" gcc -O1 -g "$PWD/tests/test$n.c" libx.a -o tests/test$n
  CHORD_OUT="$PWD/tests/%e.chord" ./tests/test$n
done
"$CHORD" report tests --by=function --json >function.json 2>warnings
expect_equal "warnings" "" "$(cat warnings)"
python3 - <<'PYTHON' || fail "the programs are not one project"
import json
report = json.load(open("function.json"))
rows = {r["function"]: r for r in report["rows"]}
names = sorted(r["function"] for r in report["rows"])
assert names == ["half", "main", "main", "main", "never", "only1", "only2", "only3", "twice"], names
assert sorted(p["program"] for p in report["programs"]) == ["test1", "test2", "test3"] and report["exact"]
assert rows["twice"]["calls"] == rows["half"]["calls"] == 60 and rows["main"]["calls"] == 1 == rows["only2"]["calls"], rows
assert rows["half"]["copies"] == 3 and rows["twice"]["copies"] == 1 and rows["never"]["calls"] == 0
assert report["instructions"] == sum(p["instructions"] for p in report["programs"]) == sum(r["executed"] for r in report["rows"])
PYTHON
"$CHORD" report tests --copies=apart --by=function --json >apart.json
expect_equal "copies of half" "3 rows" "$(field apart.json half calls)"
"$CHORD" report 'tests/test[12].chord' --function=twice --json --by=line >lines.json
python3 - <<'PYTHON' || fail "lines of one function of two programs"
import json
rows = {r["line"]: r for r in json.load(open("lines.json"))["rows"]}
assert 5 not in rows and all(r["count"] == 30 for r in rows.values()), rows
assert rows[2]["function"] == "twice" and rows[2]["source"] == "return n + n;", rows
PYTHON
"$CHORD" report tests --by=file >files
expect_contains "files are relative to the project" " lib/lib.c" files
"$CHORD" report tests --by=folder --csv >folders
expect_contains "folders" "lib,3," folders
"$CHORD" report tests >summary
expect_contains "summary" "3 programs: 3 runs, 3 threads" summary
"$CHORD" annotate tests lib.c >annotated
expect_contains "annotated" "60 |     2    return n + n;" annotated
"$CHORD" export lcov tests -o lcov.info
expect_contains "exported" "DA:2,60" lcov.info
"$CHORD" report tests --program=tests/test2 --by=function --json >one.json
expect_equal "one program of the project" 20 "$(field one.json twice calls)"
# A shared library is one, too; a program that is gone is read by what was kept of it, or left out by name.
mkdir shared
for n in 1 2; do
  "$CHORD" gcc -O1 -g "$PWD/tests/test$n.c" "$PWD/libx.so" -o tests/shared$n
  CHORD_OUT="$PWD/shared/%e.chord" ./tests/shared$n
done
"$CHORD" report shared --by=function --json >shared.json
expect_equal "calls in the library" 30 "$(field shared.json twice calls)"
rm tests/shared1
rm -r shared/.chord-maps
"$CHORD" report shared --by=function --json >shared.json 2>warnings
expect_equal "calls in the library, which is there" 30 "$(field shared.json twice calls)"
expect_equal "calls in the program that is gone" "0 rows" "$(field shared.json only1 calls)"
expect_contains "the one that is gone" "shared1" warnings
