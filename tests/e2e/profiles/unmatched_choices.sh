#!/bin/sh
# A selection of paths that names a function which the program has not: said once, with its line,
# when the program has been linked, and not for single units, libraries and other builds.
. "$(dirname "$0")/../common.inc"
cat >parse.c <<'SOURCE'
int parse(int n) { return n > 1 ? n : -n; }
int log_on(int n) { return n; }
SOURCE
cat >main.c <<'SOURCE'
int parse(int), log_on(int);
int main(int argc, char **argv) { return (void)argv, parse(argc) + log_on(0) + 1; }
SOURCE
cat >hot.paths <<'SOURCE'
parse *
main none shape=1    # of another build, which is another complaint
parze *
parze blocks=0
log_* *
lag_* *
SOURCE
told="chord: warning: $work/hot.paths:3: no function of prog is named 'parze'
chord: hint: functions go by linkage name; one that is inlined everywhere is none
chord: warning: $work/hot.paths:6: no function of prog matches 'lag_*'"
said() { grep -A1 'no function of' err || true; }
for compiler in gcc clang; do
  # All at once; by a response file; unit by unit, where only the link can tell.
  rm -f ./*.o prog
  expect_status 0 "$CHORD" --paths=hot.paths $compiler -O1 parse.c main.c -o prog
  expect_equal "$compiler, one command" "$told" "$(said)"
  echo "-O1 parse.c main.c -oprog" >words
  expect_status 0 "$CHORD" --paths=hot.paths $compiler @words
  expect_equal "$compiler, response file" "$told" "$(said)"
  expect_status 0 "$CHORD" --paths=hot.paths $compiler -O1 -c parse.c
  expect_equal "$compiler, one unit" "" "$(said)"
  expect_status 0 "$CHORD" --paths=hot.paths $compiler -O1 -c main.c
  expect_status 0 "$CHORD" --paths=hot.paths $compiler parse.o main.o -o prog
  expect_equal "$compiler, link" "$told" "$(said)"
  # A library is a part of a program, and the program's link knows its functions.
  rm -f prog
  expect_status 0 "$CHORD" --paths=hot.paths $compiler -O1 -fPIC -shared parse.c -o libparse.so
  expect_equal "$compiler, library" "" "$(said)"
  expect_status 0 "$CHORD" --paths=hot.paths $compiler -O1 main.c ./libparse.so -o prog
  expect_equal "$compiler, with a library" "$told" "$(said)"
  expect_status 0 "$CHORD" --paths=hot.paths $compiler -O1 main.c -L. -lparse -o prog
  expect_equal "$compiler, with a library by name" "$told" "$(said)"
done
# Nothing was linked: what lies there from before is not spoken of.
"$CHORD" gcc parse.c main.c -o prog
expect_status 0 "$CHORD" --paths=hot.paths gcc -print-search-dirs -o prog
expect_equal "nothing linked" "" "$(said)"
# The compiler's own failure stays what it is.
echo 'int main(void) { return nobody(); }' >fails.c
expect_status 1 "$CHORD" --paths=hot.paths gcc -w fails.c -o prog
expect_equal "link failed" "" "$(said)"
# Many are not all listed.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "nobody_$i *"; done >many.paths
expect_status 0 "$CHORD" --paths=many.paths gcc parse.c main.c -o prog
expect_equal "ten of them" 10 "$(grep -c 'no function of' err)"
expect_contains "and the rest" "many.paths: 2 more functions that prog does not have" err
