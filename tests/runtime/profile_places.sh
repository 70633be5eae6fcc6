#!/bin/sh
# Where profiles go by themselves: beside the program, in a plain program beside the woven library; where the build was told
# to (--out), whatever the environment is; else to the folder the program was started in. CHORD_OUT overrides all of it.
. "$(dirname "$0")/../e2e/common.inc"
sample_program
mkdir bin away "odd 100%p"

# holds WHAT FILE CALLS: the profile is there, and nothing was left where the program was started.
holds() {
  [ -f "$2" ] || fail "$1: no $2: $(find . -name '*.chord')"
  expect_equal "$1" "$3" "$(calls "$2" work)"
  expect_equal "$1: left in the folder it was started in" "" "$(ls -A away)"
  rm -f "$2"
}
start_away() { (cd away && "$@" >/dev/null); }

beside_the_program() {
  "$CHORD" $build sample.c -o bin/sample
  start_away ../bin/sample
  start_away env -i ../bin/sample
  holds "$build, beside" bin/sample.chord 6
  ln -sf ../bin/sample "odd 100%p/linked"
  start_away "../odd 100%p/linked"
  holds "$build, started through a link" bin/sample.chord 3
  cp bin/sample "odd 100%p/sample"
  start_away "../odd 100%p/sample"
  holds "$build, odd name" "odd 100%p/sample.chord" 3
  CHORD_OUT="$work/asked.chord" start_away ../bin/sample
  holds "$build, CHORD_OUT" asked.chord 3
  (cd away && CHORD_OUT=asked.chord ../bin/sample >/dev/null)
  mv away/asked.chord . && rm -rf away/.chord-maps
  holds "$build, relative CHORD_OUT" asked.chord 3
}
each_build beside_the_program

# Where the user may not write, and where programs are installed.
elsewhere() {
  "$CHORD" $build sample.c -o bin/sample
  if [ "$(id -u)" = 0 ]; then
    chmod 755 . bin
    mkdir theirs && chown nobody theirs
    (cd theirs && setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all ../bin/sample >/dev/null)
    mv theirs/sample.chord . && rm -rf theirs
    holds "$build, root's folder" sample.chord 3
    installed=$(mktemp -d /opt/chord.XXXXXX)
    cp bin/sample "$installed"
    (cd away && "$installed/sample" >/dev/null)
    expect_equal "$build: files in a system folder" sample "$(ls -A "$installed")"
    rm -r "$installed"
    mv away/sample.chord . && rm -rf away/.chord-maps
    holds "$build, installed" sample.chord 3
  else
    chmod a-w bin
    (cd away && ../bin/sample >/dev/null)
    chmod u+w bin
    mv away/sample.chord . && rm -rf away/.chord-maps
    holds "$build, write-protected" sample.chord 3
  fi
}
each_build elsewhere

# Kept in the objects. Folders that are missing are made.
built_in() {
  "$CHORD" --out=counts/of/ $build sample.c -o bin/sample
  rm -rf counts
  start_away ../bin/sample
  start_away env -i ../bin/sample
  holds "$build, folder" counts/of/sample.chord 6
  CHORD_OUT="$work/asked.chord" start_away ../bin/sample
  holds "$build, CHORD_OUT over --out" asked.chord 3
  [ ! -e counts/of/sample.chord ] || fail "$build: both places"
  mkdir -p there
  "$CHORD" --out=there $build sample.c -o bin/sample
  start_away ../bin/sample
  holds "$build, folder that is there" there/sample.chord 3
  "$CHORD" --out="$work/%e-%p.counts" $build sample.c -o bin/sample
  start_away ../bin/sample
  mv sample-*.counts one.chord
  holds "$build, file" one.chord 3
  (cd "odd 100%p" && "$CHORD" --out=here/ $build ../sample.c -o ../bin/sample)
  start_away ../bin/sample
  holds "$build, odd folder" "odd 100%p/here/sample.chord" 3
  strip bin/sample
  start_away ../bin/sample
  [ -f "odd 100%p/here/sample.chord" ] || fail "$build: stripped"
  rm -rf "odd 100%p/here"
  expect_status 0 env CHORD_DURABLE=1 bin/sample
  [ -f "odd 100%p/here/sample.chord" ] || fail "$build: durable"
  rm -rf "odd 100%p/here"
}
each_build built_in

# A plain program with woven libraries: beside the library, or where that was told to go.
cat >plain.c <<'SOURCE'
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  int (*work)(int) = library ? (int (*)(int))dlsym(library, "work") : 0;
  return work ? work(2) != 1 : 9;
}
SOURCE
gcc plain.c -o plain -ldl
mkdir lib
in_a_library() {
  "$CHORD" $build -shared -fPIC sample.c -o lib/libsample.so
  start_away ../plain "$work/lib/libsample.so"
  holds "$build, beside the library" lib/plain.chord 1
  "$CHORD" --out=told/ $build -shared -fPIC sample.c -o lib/libsample.so
  start_away ../plain ../lib/libsample.so
  holds "$build, the library's place" told/plain.chord 1
}
each_build in_a_library

# The program's place counts, although libraries start first.
"$CHORD" --out=told/ gcc -shared -fPIC sample.c -o lib/libsample.so
echo 'int work(int); int main(void) { return work(2) != 1; }' >main.c
"$CHORD" --out=mine/ gcc main.c -o bin/main -Llib -lsample -Wl,-rpath,"$work/lib"
start_away ../bin/main
holds "the program's place" mine/main.chord 1
"$CHORD" gcc main.c -o bin/main -Llib -lsample -Wl,-rpath,"$work/lib"
start_away ../bin/main
holds "beside the program, not the library's place" bin/main.chord 1

# What was built in is no way around rights: written as the caller, who may not write there.
if [ "$(id -u)" = 0 ]; then
  mkdir -p roots nobodys && chmod 755 roots && chown nobody nobodys
  as_nobody() { (cd / && setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all "$@"); }
  "$CHORD" --out=roots/ gcc sample.c -o bin/sample && chmod u+s bin/sample
  as_nobody "$work/bin/sample" >out 2>err
  expect_contains "set-user-id" "permission denied" err
  expect_equal "set-user-id: root's folder" "" "$(ls -A roots)"
  "$CHORD" --out=nobodys/ gcc sample.c -o bin/sample && chmod u+s bin/sample
  as_nobody "$work/bin/sample" >out
  expect_equal "set-user-id: owner" nobody "$(stat -c %U nobodys/sample.chord)"
  holds "set-user-id" nobodys/sample.chord 3
fi

# Finding them again.
"$CHORD" gcc sample.c -o bin/sample
rm -rf ./*.chord */*.chord
bin/sample >/dev/null
expect_status 0 "$CHORD" report
expect_contains "newest below" "sample: 1 run" out
expect_status 0 env -C away "$CHORD" report ../bin/sample
expect_contains "of a program" "sample: 1 run" out
expect_status 1 env -C away "$CHORD" report
expect_contains "nothing below" "chord report PROGRAM" err
"$CHORD" --out=counts/ gcc sample.c -o bin/other
bin/other >/dev/null
expect_status 0 env -C away "$CHORD" report ../bin/other
expect_contains "of a program, where it was told to go" "other: 1 run" out
expect_status 2 "$CHORD" --out= gcc sample.c -o bin/other
expect_contains "no place" "no folder or file is named" err
