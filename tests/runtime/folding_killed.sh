#!/bin/sh
# A process that is killed at any system call while it adds its run to the profile loses that run at most; then others
# go on folding, at once and with kills at random moments. With --long 10 000 runs, else 240.
. "$(dirname "$0")/../e2e/common.inc"
cat >short.c <<'SOURCE'
#include <stdlib.h>
__attribute__((noinline)) void step(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void nest(int n) {
  if (n == 0) exit(0);
  nest(n - 1);
  step();
}
int main(int argc, char **argv) {
  for (int i = 0; i < 7; i++) step();
  if (argc > 1) nest(atoi(argv[1]));
}
SOURCE
"$CHORD" gcc -O1 short.c -o short
# killat N COMMAND…: kills it when it enters or leaves a system call for the Nth time; prints how often it did.
cat >killat.c <<'SOURCE'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  long last = atol(argv[1]), stops = 0;
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execv(argv[2], argv + 2);
    _exit(127);
  }
  for (int status; waitpid(child, &status, 0) == child && WIFSTOPPED(status); ++stops) {
    if (stops == last) kill(child, SIGKILL);
    ptrace(PTRACE_SYSCALL, child, 0, 0);
  }
  printf("%ld\n", stops);
  return argc < 3;
}
SOURCE
gcc killat.c -o killat
cat >whole.py <<'PYTHON'
import json, subprocess, sys
def counts():
    """Runs and calls; each run must be whole."""
    report = subprocess.run([sys.argv[1], "report", "k.chord", "--by=function", "--json"], capture_output=True, text=True)
    assert report.returncode == 0, report.stderr
    answer = json.loads(report.stdout)
    rows = {r["function"]: r for r in answer["rows"]}
    assert answer["exact"] and all(r["exact"] for r in rows.values()), answer
    main = rows["main"]["calls"]
    assert rows["step"]["calls"] == 7 * main, (rows["step"]["calls"], main)
    return main
PYTHON
cat >each.py <<'PYTHON'
import subprocess
from whole import counts
run = lambda *words: subprocess.run(words, capture_output=True, text=True).stdout
export = {"CHORD_OUT": "k.chord"}
run("./short")
before = counts()
assert before == 1
for argument in ([], ["4"]):
    stops = int(run("./killat", "-1", "./short", *argument))
    before += 1
    assert counts() == before, "a run that is watched"
    # From where it has begun to end, that is opened the profile.
    for at in range(stops - 60, stops):
        run("./killat", str(at), "./short", *argument)
        after = counts()
        assert before <= after <= before + 1, (at, before, after)
        if at % 7 == 0:
            run("./short")
            after += 1
            assert counts() == after, "a run after a kill"
        before = after
PYTHON
cat >at_once.py <<'PYTHON'
import concurrent.futures, random, subprocess, sys, threading, time
from whole import counts
def worker(seed):
    chance, ended, killed = random.Random(seed), 0, 0
    for _ in range(int(sys.argv[2]) // 8):
        process = subprocess.Popen(["./short"] + (["3"] if chance.random() < 0.5 else []))
        if chance.random() < 0.2:
            time.sleep(chance.random() * 0.004)
            process.kill()
        status = process.wait()
        assert status in (0, -9), status
        ended, killed = ended + (status == 0), killed + (status != 0)
    return ended, killed
before = counts()
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    results = list(pool.map(worker, range(8)))
ended, killed = (sum(r[i] for r in results) for i in (0, 1))
after = counts() - before
print(f"{ended} runs ended, {killed} were killed, {after} are in the profile")
assert ended <= after <= ended + killed
PYTHON
export CHORD_OUT="$work/k.chord"
./short
one=$(wc -c <k.chord)
rm k.chord
python3 each.py "$CHORD" || fail "a kill at a system call"
if [ "${1:-}" = --long ]; then runs=10000; else runs=240; fi
python3 at_once.py "$CHORD" $runs >out || fail "runs at once: $(cat out)"
cat out
size=$(wc -c <k.chord)
[ "$size" -le $((6 * one)) ] || fail "$size bytes at the end, $one after one run"
