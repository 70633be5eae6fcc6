#!/bin/sh
# As many_libraries, of a process that keeps its counts in a file and is ended without having written them; and of one that ends by
# itself. Libraries that found no static thread-local memory are as exact as the others, in all threads and in the child of a fork.
. "$(dirname "$0")/../e2e/common.inc"
count=120 kinds=20
. "$here/many_libraries.inc"
build $count $kinds --durable
# check WHAT: what p.chord and what is beside it have are the calls that the program said.
check() {
  "$CHORD" report p.chord --by=function --json >report.json 2>warnings
  expect_absent "$1" warning warnings
  python3 -c 'import collections, json
report, calls = json.load(open("report.json")), collections.Counter()
assert report["exact"], report["warnings"]
for row in report["rows"]:
    calls[row["function"]] += row["calls"]
for kind in range('$kinds'):
    print(f"called_{kind}", calls[f"called_{kind}"])' >counted
  diff expected counted >different || fail "$1: $(cat different)"
}
for program in "plain 7" "woven 7"; do
  rm -f p.chord*
  CHORD_DURABLE=1 CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 0 ./$program
  cp out expected
  expect_equal "$program: left beside the profile" "" "$(find . -name 'p.chord.live.*')"
  check "$program"
done
rm -f p.chord*
(ulimit -c 0 && CHORD_DURABLE=1 CHORD_SIGNALS=0 CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 134 ./plain 7 dies)
cp out expected
[ "$(find . -name 'p.chord.live.*' | wc -l)" = 1 ] || fail "no file of the process that was ended"
check "ended"
