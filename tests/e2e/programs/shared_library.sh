#!/bin/sh
# A woven library in a plain program, a plain library in a woven program, both woven, and dlopen.
. "$(dirname "$0")/../common.inc"
printf 'int add(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n' >add.c
printf '#include <stdio.h>\nint add(int);\nint main(void) { printf("%%d\\n", add(3) + add(4)); return 0; }\n' >main.c
cat >load.c <<'LOAD'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  int sum = 0;
  for (int round = 0; round < 3; round++) {
    void *library = dlopen("./libadd.so", RTLD_NOW | RTLD_LOCAL);
    int (*add)(int) = (int (*)(int))dlsym(library, "add");
    sum += add(round + 2);
    dlclose(library);
  }
  printf("%d\n", sum);
  return 0;
}
LOAD
for compiler in gcc clang; do
  for library in plain woven; do
    prefix=
    [ $library = plain ] || prefix=$CHORD
    ${prefix:+"$prefix"} $compiler -O2 -fPIC -shared add.c -o libadd.so
    for program in plain woven; do
      [ $library$program != plainplain ] || continue
      prefix=
      [ $program = plain ] || prefix=$CHORD
      rm -f ./*.chord
      ${prefix:+"$prefix"} $compiler -O2 main.c -L. -ladd -Wl,-rpath,'$ORIGIN' -o main
      expect_equal "$compiler $library library, $program program" 9 "$(CHORD_OUT=l.chord ./main)"
      [ $library = plain ] || expect_equal "$compiler calls of add ($program program)" 2 "$(calls l.chord add)"
      [ $program = plain ] || expect_equal "$compiler calls of main ($library library)" 1 "$(calls l.chord main)"
    done
  done
  rm -f ./*.chord
  "$CHORD" $compiler -O2 load.c -o load -ldl
  expect_equal "$compiler dlopen" 10 "$(CHORD_OUT=d.chord ./load)"
  expect_equal "$compiler calls of a library loaded three times" 3 "$(calls d.chord add)"
done
