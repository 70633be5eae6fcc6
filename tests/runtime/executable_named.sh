#!/bin/sh
# A profile names the program by its path, however it was started: links followed, nothing goes
# back, and never a script's name or another file's.
. "$(dirname "$0")/../e2e/common.inc"
work=$(realpath "$work")
mkdir -p bin "odd name" away
cat >sample.c <<'SOURCE'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char *again[] = {"another name", NULL};
  if (argc > 1 && strcmp(argv[1], "again") == 0) execv("/proc/self/exe", again);
  if (argc > 1 && strcmp(argv[1], "by number") == 0) {
    FILE *file = fopen(argv[2], "r");
    fexecve(fileno(file), again, environ);
  }
  return 0;
}
SOURCE
# names EXPECTED COMMAND…
names() {
  expected=$1
  shift
  rm -f "$work/p"
  CHORD_OUT=$work/p "$@"
  expect_equal "$build: $*" "$expected" "$("$CHORD" print "$work/p" | sed -n 's/^executable "\(.*\)"$/\1/p' | tail -1)"
}
try() {
  "$CHORD" $build sample.c -o bin/sample
  cp bin/sample "odd name/sample"
  ln -sfn bin linked
  ln -sf bin/sample direct
  names "$work/bin/sample" "$work/bin/sample"
  names "$work/bin/sample" bin/sample
  names "$work/bin/sample" ./bin/sample
  names "$work/bin/sample" ././bin/sample
  names "$work/bin/sample" .//bin//sample
  names "$work/bin/sample" bin/../bin/./sample
  names "$work/bin/sample" linked/sample
  names "$work/bin/sample" "$work/linked/sample"
  names "$work/bin/sample" ./direct
  names "$work/odd name/sample" "./odd name/sample"
  names "$work/bin/sample" env PATH="$work/bin" sample
  (cd away && names "$work/bin/sample" ../bin/sample)
  (cd linked && names "$work/bin/sample" ./sample)
  (cd / && names "$work/bin/sample" ".$work/bin/sample")
  # The name is the script's, and the program the interpreter.
  printf '#!%s/bin/sample\n' "$work" >script
  chmod +x script
  names "$work/bin/sample" ./script
  names "$work/bin/sample" bin/sample again
  names "$work/bin/sample" bin/sample "by number" bin/sample
}
each_build try
build="gcc -O2 -static" && "$CHORD" $build sample.c -o bin/sample && names "$work/bin/sample" bin/sample
build="gcc -O2 -Wl,--build-id=none" && "$CHORD" $build sample.c -o bin/sample && names "$work/bin/sample" bin/sample

# A plain program with a woven library: the program, too, is named.
printf 'int called(void) { return 0; }\n' >library.c
printf 'int called(void);\nint main(void) { return called(); }\n' >plain.c
build="library" && "$CHORD" gcc -shared -fPIC library.c -o libcalled.so
gcc plain.c -o plain -L. -lcalled -Wl,-rpath,"$work" && names "$work/plain" ./plain
