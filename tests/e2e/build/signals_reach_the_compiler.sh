#!/bin/sh
# chord stands for the compiler it runs: signals reach it, what ends it ends chord, and it does not outlive chord.
. "$(dirname "$0")/../common.inc"
mkdir bin
cat >bin/gcc <<'COMPILER'
#!/bin/sh
trap 'echo term >>said; exit 3' TERM
echo $$ >started
sleep 20 >/dev/null 2>&1 &
wait
COMPILER
chmod +x bin/gcc
PATH=$work/bin:$PATH
touch x.c

# await WHAT COMMAND…: until it succeeds.
await() {
  what=$1
  shift
  for _ in $(seq 200); do
    if "$@" 2>/dev/null; then return; fi
    sleep 0.1
  done
  fail "$what"
}
is_gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
begin() {
  rm -f started said
  "$CHORD" gcc -c x.c &
  chord=$!
  await "the compiler is not started" test -s started
}

begin
kill -TERM $chord
status=0
wait $chord || status=$?
expect_equal "the compiler's own status" 3 $status
expect_equal "the signal reached it" term "$(cat said)"

begin
kill -KILL $chord
await "the compiler goes on without chord" is_gone "$(cat started)"
expect_equal "it was asked to end" term "$(cat said)"

begin
kill -KILL "$(cat started)"
status=0
wait $chord || status=$?
expect_equal "what ends it ends chord" 137 $status

printf '#!/no/such/interpreter\n' >bin/gcc
expect_status 127 "$CHORD" "$work/bin/gcc" -c x.c
expect_contains "why" "bin/gcc: No such file or directory" err
