#!/bin/sh
# A command in which nothing was woven says so, once, with the cure, and does what it does without chord;
# reports name what they know nothing of.
. "$(dirname "$0")/../common.inc"
unset CHORD_FLAGS
sample_program

# said COMMAND-NAME REASON: by the command just run.
said() {
  expect_equal "$1: warnings" 1 "$(grep -c 'chord: warning' err)"
  expect_contains "$1" "$2" err
  expect_contains "$1" "chord: hint: " err
}
silent() { expect_absent "$1" chord: err; }

expect_status 0 "$CHORD" clang -fintegrated-as -c sample.c
said integrated "sample.o: nothing in it is counted: -fintegrated-as lets clang assemble by itself"
expect_status 0 "$CHORD" clang -flto -c sample.c
said lto "sample.o: nothing in it is counted: clang's link-time optimisation writes no assembly"
expect_status 0 "$CHORD" gcc -c sample.c
silent woven
expect_status 0 "$CHORD" gcc -O2 -flto sample.c -o sample
silent "gcc -flto"
printf 'int numbers[3] = {1, 2, 3};\n' >data.c
expect_status 0 "$CHORD" gcc -c data.c
silent "no code"
expect_status 0 "$CHORD" gcc -shared -fPIC data.c -o libdata.so
silent "a library without code"
expect_status 0 "$CHORD" gcc -E sample.c
silent "no object"
gcc -c sample.c
expect_status 0 "$CHORD" gcc sample.o -o sample
said link "sample: nothing in it is counted: no object in it was built with chord"
expect_status 1 "$CHORD" report ./sample
expect_contains "a plain program" "chord: error: ./sample: has no map: it was not built with chord" err
expect_status 1 "$CHORD" doctor ./sample
expect_contains "a plain program" "it was not built with chord" err

# Other machines and C libraries.
for flag in -m32 -mx32; do
  expect_status 0 "$CHORD" gcc $flag -c data.c
  said $flag "gcc: left uninstrumented: $flag asks for code that is not 64-bit"
done
expect_status 0 "$CHORD" clang --target=aarch64-linux-gnu -c data.c
said aarch64 "clang: left uninstrumented: it makes code for aarch64-linux-gnu"
mkdir bin
printf '#!/bin/sh\n[ "$1" != -dumpmachine ] || { echo riscv64-linux-gnu; exit; }\necho "$@" >got\n' >bin/riscv64-linux-gnu-gcc
chmod +x bin/*
PATH=$PWD/bin:$PATH expect_status 0 "$CHORD" riscv64-linux-gnu-gcc -c x.c
said cross "riscv64-linux-gnu-gcc: left uninstrumented: it makes code for riscv64-linux-gnu"
expect_equal "cross: arguments" "-c x.c" "$(cat got)"
if command -v musl-gcc >/dev/null; then
  expect_status 0 "$CHORD" musl-gcc sample.c -o sample
  said musl "musl-gcc: left uninstrumented: it links with musl"
  expect_equal musl 4995 "$(./sample)"
fi

# Programs that are none of our compilers, as they are called.
for name in rustc ldc2 fpc flang nasm ocamlopt; do
  printf '#!/bin/sh\necho "$@" >got\n' >bin/$name
  chmod +x bin/$name
  PATH=$PWD/bin:$PATH expect_status 0 "$CHORD" $name one "two words"
  said $name "$name: nothing was counted: "
  expect_equal "$name: arguments" "one two words" "$(cat got)"
done
# One that calls the assembler by itself is counted, and its status is its own.
gcc -S -O1 sample.c
cat >bin/ocamlopt <<'SH'
#!/bin/sh
as -o sample.o sample.s && gcc sample.o -o sample && exit $1
SH
PATH=$PWD/bin:$PATH expect_status 0 "$CHORD" ocamlopt 0
silent ocamlopt
CHORD_OUT=o.chord ./sample >/dev/null
expect_equal "ocamlopt: calls" 3 "$(calls o.chord work)"
PATH=$PWD/bin:$PATH expect_status 7 "$CHORD" ocamlopt 7

# A program of which part was built with chord.
printf 'int extra(int x) { return x + 1; }\nint more(int x) { return x; }\n' >extra.c
sed -i 's/return 0;/int extra(int); return extra(-1);/' sample.c
gcc -g -c extra.c
"$CHORD" gcc -g -c sample.c
expect_status 0 "$CHORD" gcc sample.o extra.o -o sample
silent mixed
CHORD_OUT=mixed.chord ./sample >/dev/null
"$CHORD" report mixed.chord >out
expect_contains mixed "2  functions of extra.c: extra, more" out
"$CHORD" report mixed.chord --json >mixed.json
expect_equal "mixed: JSON" '[{"unit": "extra.c", "functions": ["extra", "more"]}]' \
  "$(python3 -c 'import json; print(json.dumps(json.load(open("mixed.json"))["plain"]))')"
"$CHORD" doctor ./sample >out
expect_contains "doctor of a program" "2  functions of extra.c: extra, more" out
expect_contains "doctor of a program" "every function with a map is instrumented (3)" out

# A selection that selects nothing.
expect_status 0 "$CHORD" --only=worck --only=main gcc sample.c extra.o -o sample
expect_equal "--only: warnings" 1 "$(grep -c 'chord: warning' err)"
expect_contains "--only" "--only=worck: no function and no source file in sample matches it" err
expect_status 0 "$CHORD" --only='*.c' gcc sample.c extra.o -o sample
silent "--only of a file"
