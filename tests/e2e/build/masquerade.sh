#!/bin/sh
# chord under a compiler's name: it answers questions as the compiler does, and builds with probes; configure scripts,
# make, cmake and env use it.
. "$(dirname "$0")/../common.inc"
sample_program
bin=$(dirname "$CHORD")
links=$(realpath "$bin/../lib/chord/bin")

# Asked about itself.
for compiler in gcc g++ clang; do
  for question in -v --version -dumpmachine -dumpversion "-print-prog-name=as" -print-search-dirs "-E -dM -xc /dev/null" "-S -O1 sample.c -o -" "-###" ""; do
    $compiler $question >plain 2>&1 </dev/null || true
    "$bin/chord-$compiler" $question >masked 2>&1 </dev/null || true
    cmp -s plain masked || fail "chord-$compiler $question: $(diff plain masked | head -5)"
    PATH=$links:$PATH $compiler $question >masked 2>&1 </dev/null || true
    cmp -s plain masked || fail "$compiler $question, by PATH: $(diff plain masked | head -5)"
  done
done
status=0
"$bin/chord-gcc" no-such-file.c 2>err || status=$?
expect_equal "the compiler's own status" 1 "$status"

# As scripts made by autoconf use $CC: in one word, asked in several ways.
cat >configure <<'SH'
#!/bin/sh
set -e
: "${CC=gcc}"
"$CC" -v >/dev/null 2>&1 || { echo "no $CC"; exit 1; }
case $("$CC" --version) in *gcc* | *GCC* | *"Free Software"*) kind=gcc ;; *clang*) kind=clang ;; *) kind=other ;; esac
printf 'int main(void) { return 0; }\n' >conftest.c
$CC -fwrapv -Werror -c conftest.c -o conftest.o 2>conftest.err && [ ! -s conftest.err ] && wrapv=-fwrapv
$CC conftest.c -o conftest && ./conftest
printf 'CC = %s\nCFLAGS = -O1 -g %s\nsample: sample.c\n\t$(CC) $(CFLAGS) sample.c -o sample\n' "$CC" "$wrapv" >Makefile
echo "$kind $wrapv $("$CC" -dumpmachine)"
SH
expect_equal "configure" "$(CC=gcc sh ./configure)" "$(CC=$bin/chord-gcc sh ./configure)"
make -s
CHORD_OUT=m.chord ./sample >/dev/null
expect_equal "make" 3 "$(calls m.chord work)"

# What `chord env` says is enough.
(eval "$("$CHORD" env)" && sh ./configure >/dev/null && rm sample && make -s)
CHORD_OUT=e.chord ./sample >/dev/null
expect_equal "env" 3 "$(calls e.chord work)"
for tool in make autotools meson; do
  (eval "$("$CHORD" env $tool clang)" && sh ./configure >/dev/null && rm -f sample && make -s)
  rm -f e.chord
  CHORD_OUT=e.chord ./sample >/dev/null
  expect_equal "env $tool" 3 "$(calls e.chord work)"
done
expect_contains "env bazel" "build --repo_env=CC=$bin/chord-gcc" "$("$CHORD" env bazel >b && echo b)"
mkdir project
cp sample.c project
printf 'cmake_minimum_required(VERSION 3.22)\nproject(p C)\nadd_executable(sample sample.c)\nfile(WRITE ${CMAKE_BINARY_DIR}/id "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")\n' >project/CMakeLists.txt
cmake -S project -B untouched >/dev/null
for way in "eval \"\$(\"$CHORD\" env cmake)\"" "eval \"\$(\"$CHORD\" env)\"" "export CC=$bin/chord-gcc"; do
  rm -rf b e.chord
  (unset CC; eval "$way"; cmake -S project -B b >/dev/null; cmake --build b >/dev/null) || fail "$way: cmake fails"
  expect_equal "$way: the compiler's name" "$(cat untouched/id)" "$(cat b/id)"
  CHORD_OUT=e.chord b/sample >/dev/null
  expect_equal "$way" 3 "$(calls e.chord work)"
done

# Whole builds: the compilers that make runs are chord's, with the options that make was given.
rm -f sample m.chord
printf 'all:\n\tgcc -fPIC -shared sample.c -o libsample.so\n\tgcc sample.c -o sample\n' >Makefile
"$CHORD" --paths make -s 2>err || fail "chord make: $(cat err)"
expect_absent "chord make" chord: err
CHORD_OUT=m.chord ./sample >/dev/null
"$CHORD" paths m.chord >out || fail "chord make: no paths"
expect_contains "chord make" work out
# What says "Free Software Foundation" is not gcc for that.
mkdir other
printf '#!/bin/sh\n[ "$1" != --version ] || echo "cobc (GnuCOBOL) Copyright (C) Free Software Foundation, Inc."\necho "$@" >got\n' >other/cobc
chmod +x other/cobc
PATH=$PWD/other:$PATH "$CHORD" cobc -x a.cob 2>/dev/null
expect_equal "cobc" "-x a.cob" "$(cat got)"
