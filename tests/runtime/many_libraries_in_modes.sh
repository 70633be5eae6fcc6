#!/bin/sh
# As many_libraries, in modes that keep more for each thread than counters: events, alone, with budgets and around calls, clocks and
# traces. Also in programs that have objects of both kinds, for libraries (-fPIC) and for programs.
. "$(dirname "$0")/../e2e/common.inc"
. "$here/many_libraries.inc"
# run WHAT PROGRAM...: its profiles or traces are p.*, what it said is in `expected`.
run() {
  what=$1
  shift
  rm -f p.*
  CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 0 "$@"
  cp out expected
}
# check WHAT FILE...: they have the calls that the program said.
check() {
  what=$1
  shift
  for file; do
    "$CHORD" report "$file" --by=function --json 2>warnings
    expect_absent "$what" warning warnings
  done >reports
  python3 -c 'import collections, json
calls = collections.Counter()
decoder, text = json.JSONDecoder(), open("reports").read().strip()
while text:
    report, end = decoder.raw_decode(text)
    text = text[end:].strip()
    assert report["exact"], report["warnings"]
    for row in report["rows"]:
        calls[row["function"]] += row["calls"]
for kind in range('$kinds'):
    print(f"called_{kind}", calls[f"called_{kind}"])' >counted
  diff expected counted >different || fail "$what: $(cat different)"
}
# Events of the process and of its threads are as many as blocks say.
check_events() {
  "$CHORD" events p.chord --json >events.json 2>warnings
  expect_absent "$1" warning warnings
  python3 -c 'import json
events = {row["kind"]: row["events"] for row in json.load(open("events.json"))["rows"]}
print(events["instructions"] - json.load(open("reports"))["instructions"])' >difference
  expect_equal "$1" 0 "$(cat difference)"
}

for mode in "--events=instructions,loads" "--events=instructions --budget" "--events=instructions --callsites"; do
  build 260 20 $mode --place=optimal
  for program in "plain 7" woven; do
    for budget in "" instructions:1e15; do
      case $mode,$budget in *budget,*|*,) ;; *) continue ;; esac
      CHORD_BUDGET=$budget run "$mode" ./$program
      check "$mode $program" p.chord
      check_events "$mode $program"
    done
  done
done

for mode in --metrics=time "--metrics=page-faults --paths"; do
  build 260 20 $mode
  for program in "plain 7" woven; do
    run "$mode" ./$program
    check "$mode $program" p.chord
  done
done

# As with static libraries that are built with -fPIC: what both kinds of objects keep for a thread is one thing.
printf '__attribute__((noinline)) int called_0(int x) { return x & 1 ? x + 2 : x; }\n' >shared.c
cat >mixed.c <<'SOURCE'
#include <stdio.h>
int called_0(int x);
__attribute__((noinline)) int called_1(int x) { return called_0(x) + called_0(x + 1); }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += called_1(i) & 1;
  printf("called_0 20\ncalled_1 10\n");
  return sum == 10 ? 0 : 1;
}
SOURCE
kinds=2
for mode in "--events=instructions --place=optimal" "--events=instructions --budget --place=optimal" "--events=instructions --callsites --place=optimal" \
  --metrics=time "--metrics=page-faults --paths" --trace --trace=paths --trace=addresses --context; do
  for order in "shared.o mixed.o" "mixed.o shared.o"; do
    "$CHORD" $mode gcc -O1 -fPIC -c shared.c -o shared.o
    "$CHORD" $mode gcc -O1 -c mixed.c -o mixed.o
    "$CHORD" $mode gcc $order -o mixed
    run "$mode, $order" ./mixed
    case $mode in --trace*) check "$mode, $order" p.chordtrace ;; *) check "$mode, $order" p.chord ;; esac
    case $mode in --events*) check_events "$mode, $order" ;; esac
  done
done

# None is unloaded, and no thread runs at the end: the last steps of such threads are missing in traces of several modules, as warnings say, and a library
# that comes again begins a second stream.
for mode in --trace --trace=addresses; do
  build 260 20 $mode
  for program in plain woven; do
    CHORD_TRACE_PACK=off run "$mode" ./$program -2
    check "$mode $program" p*.chordtrace
  done
done
