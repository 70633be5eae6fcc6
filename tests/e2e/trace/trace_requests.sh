#!/bin/sh
# What a program asks of its recording: moments that it names, pauses, copies of a ring. All of it is compared with the trace of the
# same run without.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'SOURCE'
#include <chord/chord.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned x;
__attribute__((noinline)) static void step(unsigned i) { if (i % 3) x += i; else x ^= i; }
__attribute__((noinline)) static void quiet(unsigned i) { if (i % 5) step(i); }
static void steps(unsigned n) { for (unsigned i = 0; i < n; i++) step(i); }
static void *other(void *p) {
  steps(40);
  return p;
}
/* Paused in one function, resumed in another. */
__attribute__((noinline)) static void ask_in_depth(int n, int what) {
  if (n != 0) ask_in_depth(n - 1, what);
  else __chord_api_trace(what, 0);
  x++;
}
int main(int argc, char **argv) {
  /* 9 asks for nothing: the same control flow, without a pause. */
  int pause = atoi(argv[1]), resume = atoi(argv[2]);
  pthread_t thread;
  steps(10);
  ask_in_depth(3, pause);
  for (unsigned i = 0; i < 50; i++) quiet(i);
  pthread_create(&thread, 0, other, 0);
  pthread_join(thread, 0);
  __chord_api_trace(pause, 0);
  if (argc > 3 && fork() == 0) {
    steps(2);
    chord_trace_resume();
    steps(4);
    _exit(0);
  }
  wait(0);
  __chord_api_trace(resume, 0);
  steps(7);
  chord_mark("second");
  steps(5);
  chord_mark("third, with a name that takes more than a word");
  steps(3);
  if (chord_trace_save("why") != 0) return 1;
  steps(2);
  return chord_trace_resume();
}
SOURCE
cat >check.py <<'PYTHON'
import csv, json, os, subprocess, sys
chord, paused, whole = os.environ["CHORD"], *sys.argv[1:3]
def trace(*arguments):
    return subprocess.run([chord, "trace", *arguments], check=True, capture_output=True, text=True).stdout
def rows(*arguments):
    return [(r["thread"], r["function"], r["offset"]) for r in csv.DictReader(trace(*arguments, "--csv").splitlines())]
full, part = rows(whole, "--by=instruction", "--thread=1"), rows(paused, "--by=instruction", "--thread=1")
left_out = len(full) - len(part)
same = next(i for i, (a, b) in enumerate(zip(full, part)) if a != b)
assert left_out > 0 and full[same + left_out:] == part[same:], (same, left_out, full[same:same + 3], part[same:same + 3])
assert [f for _, f, _ in full[same:same + left_out]].count("quiet") == [f for _, f, _ in full].count("quiet") > 0
assert full[same - 1][1] == "ask_in_depth" and full[same + left_out - 1][1] == "main", (full[same - 1], full[same + left_out - 1])
# The other thread does not pause.
assert rows(whole, "--by=instruction", "--thread=2") == rows(paused, "--by=instruction", "--thread=2") != []
assert [json.loads(trace("stats", path, "--json"))["pauses"] for path in (whole, paused)] == [0, 1]
marks = {path: json.loads(trace("marks", path, "--json"))["rows"] for path in (whole, paused)}
for path, left in ((whole, 0), (paused, left_out)):
    assert [m["mark"] for m in marks[path]] == ["second", "third, with a name that takes more than a word", "why"] and {m["thread"] for m in marks[path]} == {1}
    assert [m["number"] + left for m in marks[path]] == [m["number"] for m in marks[whole]]
    def steps(*arguments):
        return [f for _, f, _ in rows(path, *arguments)].count("step")
    assert steps("--from=mark:second", "--to=mark:third, with a name that takes more than a word") == 5
    assert steps("--from=mark:why") == 2 and steps("--to=mark:second#1", "--thread=1") == (17 if left else 57)
    assert steps("--from=mark:second", "--to=step#1") == 0
    late = subprocess.run([chord, "trace", path, "--from=mark:second#2", "--csv"], capture_output=True, text=True)
    assert late.returncode == 1 and "--from=mark:second#2: no thread came there" in late.stderr, late
    # A moment lies after the call that named it.
    first = rows(path, "--from=mark:second", "--by=instruction")[0]
    assert first == full[marks[whole][0]["number"]]
PYTHON
check() {
  rm -f ./*.chordtrace
  "$CHORD" --trace $build -I"$root/runtime/include" -g prog.c -o prog -pthread
  ./prog 1 2 && cp prog.chordtrace paused.chordtrace
  ./prog 9 9
  python3 check.py paused.chordtrace prog.chordtrace || fail "$build"
  # Only what follows one mark, up to the next.
  CHORD_TRACE_MARK=second ./prog 9 9
  expect_equal "$build: by mark" 5 "$("$CHORD" trace --csv prog.chordtrace | grep -c ,step,)"
  expect_equal "$build: by mark: marks" "second third" "$("$CHORD" trace marks prog.chordtrace | awk 'NR > 1 { print $3 }' | tr -d , | xargs)"
  # The child of a fork is paused, too, until it goes on.
  ./prog 1 2 fork
  expect_equal "$build: child" 4 "$("$CHORD" trace --csv prog.[0-9]*.chordtrace | grep -c ,step,)"
  rm prog.[0-9]*.chordtrace
}
each_build check
build="gcc -O2 -fPIC -pie" check
expect_status 2 "$CHORD" trace prog.chordtrace --from=mark:
expect_contains "no moment" "mark:NAME#N" err
# Counts are those of what was recorded.
./prog 1 2
expect_equal "counts" 67 "$("$CHORD" report prog.chordtrace --by=function --csv | awk -F, '{ for (i = 1; i <= NF; i++) name[NR, i] = $i } /(^|,)step(,|$)/ { for (i = 1; i <= NF; i++) if (name[1, i] == "calls") print $i }')"

# A program that was built without asks for nothing.
cat >plain.c <<'SOURCE'
#include <chord/chord.h>
int main(void) { return chord_trace_save("x") + chord_trace_pause() + chord_trace_resume(); }
SOURCE
gcc -I"$root/runtime/include" plain.c -o plain && ./plain
"$CHORD" gcc -I"$root/runtime/include" plain.c -o counting
got=0; ./counting || got=$?
expect_equal "counts, but records nothing" 253 "$got"
