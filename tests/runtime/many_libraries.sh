#!/bin/sh
# Many more woven libraries in one process than the C library has static thread-local memory for (some hundred), in a woven and in a plain program, with
# plain libraries that need such memory themselves: loaded before threads are started and while they run, called by all of
# them at once, left and loaded again, the first ones among them, and in the child of a fork. Every library is called a different number of times in
# each thread. `--long`: a thousand libraries.
. "$(dirname "$0")/../e2e/common.inc"
count=260
[ "${1:-}" != --long ] || count=1000
kinds=20
. "$here/many_libraries.inc"
build $count $kinds
# check WHAT: p.chord has the calls that the program said.
check() {
  "$CHORD" report p.chord --by=function --json >report.json 2>warnings
  expect_absent "$1" warning warnings
  python3 -c 'import collections, json
calls, modules = collections.Counter(), collections.Counter()
for row in json.load(open("report.json"))["rows"]:
    calls[row["function"]] += row["calls"]
    modules[row["function"]] += 1
for kind in range('$kinds'):
    name = f"called_{kind}"
    assert modules[name] == '$((count / kinds))', (name, modules[name])
    print(name, calls[name])' >counted
  diff expected counted >different || fail "$1: $(cat different)"
}
for program in "plain 7" woven; do
  rm -f p.chord
  CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 0 ./$program
  cp out expected
  check "$program"
done
# The same from a core file, with threads that are waiting; unless the system keeps those elsewhere.
rm -f p.chord
(ulimit -c unlimited && CHORD_SIGNALS=0 CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 134 ./plain 7 dies)
cp out expected
for core in core*; do
  [ -e "$core" ] || continue
  "$CHORD" dump "$core" >/dev/null
  check "a core file"
done
# Where all that have static memory are gone, the others have nothing left to count by way of, and that is said.
rm -f p.chord
CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 0 ./plain
"$CHORD" report p.chord >report 2>&1
expect_contains "without any static memory" "share counters of shared objects" report
