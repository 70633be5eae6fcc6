#!/bin/sh
# What a trace is asked for: statistics, one call by itself, rows from a call to a call, rows backwards. All of it follows from
# the listing of instructions, and is compared with that.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'SOURCE'
#include <pthread.h>
#include <setjmp.h>
static volatile int sink;
static jmp_buf place;
__attribute__((noinline)) static int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i % 3 == 0 ? i : 1;
  return sum;
}
__attribute__((noinline)) static int down(int n) {
  if (n == 0)
    return leaf(2);
  sink = leaf(n);
  if (n == 3 && sink < 0) longjmp(place, 1);
  return down(n - 1) + down(n - 1);
}
static void *run(void *p) {
  sink = leaf(5);
  return p;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  if (setjmp(place) == 0) sink = down(5);
  return 0;
}
SOURCE
cat >check.py <<'PYTHON'
import csv, json, os, subprocess, random
chord = os.environ["CHORD"]
def trace(*arguments):
    return subprocess.run([chord, "trace", *arguments], check=True, capture_output=True, text=True).stdout
def rows(*arguments):
    return list(csv.DictReader(trace(*arguments, "--csv").splitlines()))
listed = {by: rows(f"--by={by}") for by in ("call", "line", "block", "instruction")}
# Backwards is the other way round, thread by thread; also of a part.
for by, forward in listed.items():
    back = rows(f"--by={by}", "--backwards")
    assert [r for t in ("1", "2") for r in reversed([r for r in back if r["thread"] == t])] == forward, by
    assert list(reversed(rows(f"--by={by}", "--thread=1", "--from=100", "--to=333", "--backwards"))) == \
        [r for r in forward if r["thread"] == "1" and 100 <= int(r["number"]) < 333], by
# The first rows, or the last ones.
for by, forward in listed.items():
    assert rows(f"--by={by}", "--top=3") == forward[:3], by
    assert rows(f"--by={by}", f"--top={len(forward) - 1}") == forward[:-1], by
    assert rows(f"--by={by}", "--thread=1", "--backwards", "--top=2") == [r for r in reversed(forward) if r["thread"] == "1"][:2], by
assert rows("--last=leaf", "--thread=1") == [[r for r in listed["call"] if r["thread"] == "1" and r["function"] == "leaf"][-1]]

# The last instruction has its line, even if that began before.
assert [(r["thread"], r["number"]) for r in rows("--before-end=1")] == [max(((r["thread"], r["number"]) for r in listed["instruction"] if r["thread"] == t), key=lambda k: int(k[1])) for t in "12"]

# Calls of the first thread: [number, end, depth, function, own instructions]
one = [r for r in listed["instruction"] if r["thread"] == "1"]
begins = {r["number"] for r in listed["call"] if r["thread"] == "1"}
calls, open_ = [], []
for r in one:
    depth = int(r["depth"])
    while len(open_) > depth + (r["number"] not in begins):
        open_.pop()["end"] = int(r["number"])
    if r["number"] in begins:
        open_.append({"began": int(r["number"]), "end": len(one), "depth": depth, "function": r["function"], "own": [], "row": r,
                      "caller": open_[-1]["function"] if open_ else None})
        calls.append(open_[-1])
    open_[-1]["own"].append(r)
# By caller, and one of them.
for name in ("down", "main"):
    wanted = [c["row"] for c in calls if c["function"] == "down" and c["caller"] == name]
    assert wanted and rows("--thread=1", "--find=down", f"--caller={name}") == wanted, name
    assert rows("--thread=1", "--last=down", f"--caller={name}") == wanted[-1:] == rows("--thread=1", "--find=down", f"--caller={name}", f"--nth={len(wanted)}")
    assert rows("--thread=1", "--find=down", f"--caller={name}", f"--nth={len(wanted) + 1}") == []
assert rows("--find=main", "--caller=down") == []
# One call, named by any instruction of its own.
random.seed(3)
for call in random.sample(calls, 12) + [calls[0]]:
    said = json.loads(trace("--thread=1", "--json", "--this-call=" + random.choice(call["own"])["number"]))
    assert (said["function"], said["began"], said["ended"], said["depth"], said["own"]) == \
        (call["function"], call["began"], call["end"], call["depth"], len(call["own"])), (call, said)
    assert said["instructions"] == call["end"] - call["began"]
    executed = {}
    for r in [r for r in call["own"] if r["line"] != "0"]:
        executed[int(r["line"])] = executed.get(int(r["line"]), 0) + 1
    assert {row["line"]: row["executed"] for row in said["rows"] if row["executed"]} == executed, (call, said)
# From a call to the end of a call.
for name, nth in (("down", 7), ("leaf", 3), ("down", 1)):
    call = [c for c in calls if c["function"] == name][nth - 1]
    wanted = [r for r in one if call["began"] <= int(r["number"]) < call["end"]]
    assert rows("--thread=1", "--by=instruction", f"--from={name}#{nth}", f"--to={name}#{nth}") == wanted, (name, nth)
late = subprocess.run([chord, "trace", "--thread=2", "--from=down", "--csv"], capture_output=True, text=True)
assert late.returncode == 1 and "--from=down: no thread came there" in late.stderr, late

# Statistics.
said = json.loads(trace("stats", "--json"))
assert said["instructions"] == len(listed["instruction"]) and said["calls"] == len(listed["call"]) and said["threads"] == 2
assert said["rows"][0]["instructions"] == len(one) and said["deepest"] == 1 + max(int(r["depth"]) for r in one)
assert said["entries"] <= said["calls"] and said["bytes"] == 8 * said["words"] <= said["file_bytes"]
edges = json.loads(subprocess.run([chord, "report", "prog.chordtrace", "--by=edge", "--json"], check=True, capture_output=True, text=True).stdout)["rows"]
several = {(e["function"], e["from"]) for e in edges if e["kind"] == "taken"}
assert said["branches"] == sum(e["count"] for e in edges if (e["function"], e["from"]) in several and e["kind"] != "never"), said
PYTHON
for build in "gcc -O2" "clang -O0"; do
  rm -f ./*.chordtrace
  "$CHORD" --trace $build -g prog.c -o prog -pthread
  ./prog
  python3 check.py || fail "$build"
done
"$CHORD" trace --this-call=20 --thread=1 >text
expect_contains "the title" "thread 1: down from 20 to " text
grep -q '##### |    13 ' text && grep -q ' 1 |    14  .*leaf' text || fail "the lines of the first call of down: $(cat text)"
expect_status 1 "$CHORD" trace --this-call=99999999
expect_contains "a call that is not there" "executed no instruction 99999999" err
expect_status 2 "$CHORD" trace --caller=main
expect_contains "a caller of nothing" "of what --find finds" err
expect_status 2 "$CHORD" trace --from='#3'
expect_status 2 "$CHORD" trace --from='f#x'
# The profile of the run says where its counts are.
expect_status 1 "$CHORD" report prog.chord
expect_contains "no counts in the profile" "built with --trace" err
expect_contains "but in the trace" "prog.chordtrace" err
expect_equal "a row for each thread" "1 2" "$("$CHORD" trace stats --csv | awk -F, 'NR > 1 { print $1 }' | sort | xargs)"
# Of a process that was killed the last steps are missing, and counts say so.
cat >killed.c <<'SOURCE'
#include <signal.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) static void step(long i) {
  if (i % 7 == 3) sum = sum + 1;
}
int main(int argc, char **argv) {
  (void)argv;
  for (long i = 0; i < 100000; i++) step(i);
  if (argc > 1) kill(getpid(), SIGKILL);
  return 0;
}
SOURCE
"$CHORD" --trace gcc -O2 -g killed.c -o killed
./killed
"$CHORD" report killed.chordtrace --json >whole.json 2>err
[ -s err ] && fail "$(cat err)"
{ ./killed now || true; } 2>/dev/null
"$CHORD" report killed.chordtrace --json >cut.json 2>err
expect_contains "a trace that breaks off" "its trace breaks off" err
python3 - <<'PYTHON' || fail "counts of a process that was killed"
import json
whole, cut = json.load(open("whole.json")), json.load(open("cut.json"))
assert whole["exact"] and not cut["exact"]
assert 0 <= whole["instructions"] - cut["instructions"] < 64 * 20, (whole["instructions"], cut["instructions"])
PYTHON
