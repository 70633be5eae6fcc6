#!/bin/sh
# chord tests: what each test executes, by mark, process and file; which tests run a line; which a change concerns.
. "$(dirname "$0")/../common.inc"
include=-I$root/runtime/include
cat >suite.c <<'C'
#include <chord/chord.h>
#include <string.h>
__attribute__((noinline)) int add(int a, int b) {
  return a + b;
}
int limit = 5;
__attribute__((noinline)) int cut(int a) {
  if (a > limit)
    return limit;
  return a;
}
static int test_add(void) { return add(1, 2) == 3 && add(2, 2) == 4; }
static int test_small(void) { return cut(1) == 1; }
static int test_large(void) { return cut(9) == 5 && add(4, 4) == 8; }
int main(int argc, char **argv) {
  static const struct { const char *name; int (*run)(void); } tests[] = {{"add", test_add}, {"small", test_small}, {"large", test_large}};
  int good = 1;
  for (int i = 0; i < 3; i++) {
    if (argc > 1 && strcmp(argv[1], tests[i].name) != 0) continue;
    if (argc == 1) chord_mark(tests[i].name);
    good = good && tests[i].run();
  }
  return !good;
}
C
"$CHORD" gcc -O0 -g "$include" suite.c -o suite
CHORD_OUT=marks.chord ./suite
mkdir one
for test in add small large; do CHORD_OUT=one/$test.chord ./suite $test; done
tests_of() { python3 -c 'import json,sys; print(*sorted({r["test"] for r in json.load(sys.stdin)["rows"]}))'; }
ask() {  # EXPECTED OPTIONS…: the same from marks and from files
  expected=$1
  shift
  expect_equal "marks: $*" "$expected" "$("$CHORD" tests marks.chord "$@" --json | tests_of)"
  expect_equal "files: $*" "$expected" "$("$CHORD" tests one/*.chord --each=file "$@" --json | tests_of)"
}
ask "add large small"
ask "add large" --line=suite.c:4
ask "large" --line=suite.c:9
ask "small" --line=suite.c:10
ask "large small" --function=cut
ask "add large" --function='a?d'
expect_equal "files of a folder" "add large small" "$("$CHORD" tests one --each=file --json | tests_of)"
mkdir two
cp one/add.chord two/add.chord
expect_equal "files of one name" "large one/add small two/add" "$("$CHORD" tests one two --each=file --json | tests_of)"
rm -r two
expect_equal "processes" "./suite add ./suite large ./suite small" "$("$CHORD" tests one/*.chord --each=process --json | tests_of)"
expect_status 1 "$CHORD" tests marks.chord --line=suite.c:6
expect_contains "no code there" "no code there" err
expect_status 2 "$CHORD" tests marks.chord --line=suite.c

# Changes: within a function, outside of all, in a file that is not part of the program.
change() {  # NAME SED: a diff as git writes it
  mkdir -p a b
  cp suite.c a/suite.c
  sed "$2" suite.c >b/suite.c
  diff -u a/suite.c b/suite.c >"$1" || true
}
change in_cut.diff 's/return limit;/return limit + 0;/'
ask "large small" --impacted-by=in_cut.diff
change in_add.diff 's/  return a + b;/  int c = a;\n  return c + b;/'
ask "add large" --impacted-by=in_add.diff
change outside.diff 's/^int limit = 5;/int limit = 6;/'
ask "add large small" --impacted-by=outside.diff
"$CHORD" tests marks.chord --impacted-by=- --json <in_add.diff | tests_of >out
expect_equal "from standard input" "add large" "$(cat out)"
printf -- '--- a/README\n+++ b/README\n@@ -1 +1 @@\n-x\n+y\n' >readme.diff
"$CHORD" tests marks.chord --impacted-by=readme.diff --json >out 2>err
expect_equal "nothing of the program" "" "$(tests_of <out)"
expect_contains "what is not known" "README" err
printf -- '--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-x\n?\n' >bad.diff
expect_status 1 "$CHORD" tests marks.chord --impacted-by=bad.diff
expect_contains "damage" "line 5 of the diff" err
# Runs that were added up are not taken for one test; those with the same arguments may be.
for test in add small large small; do CHORD_OUT=mixed.chord ./suite $test; done
expect_status 1 "$CHORD" tests mixed.chord --each=process
expect_contains "runs that were added up" "CHORD_KEEP_RUNS=arguments" err
for test in add small large small; do CHORD_KEEP_RUNS=arguments CHORD_OUT=apart.chord ./suite $test; done
expect_equal "processes in one profile" "./suite add ./suite large ./suite small" "$("$CHORD" tests apart.chord --each=process --json | tests_of)"
