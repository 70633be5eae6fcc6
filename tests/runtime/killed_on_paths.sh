#!/bin/sh
# CHORD_DURABLE=1 and --paths, with --context too: paths that came to their ends before a SIGKILL are exact, and for each function it is
# known how many activations were running and where their last paths had started. What counters tell of the killed process is compared with
# what unwinding tells of one that exits at the same place.
. "$(dirname "$0")/../e2e/common.inc"
. "$here/waiting_threads.inc"
cat >killed.c <<'SOURCE'
#include "threads.h"
__attribute__((noinline)) void step(int n) {
  if (n & 1) total++;
  if (n % 3 == 0) total += 2;
}
__attribute__((noinline)) void work(int n) {
  for (int i = 0; i < n; i++) {
    if (i % 5 == 0) total--;
    step(i);
  }
}
// Deep below is waited, in a later round of each activation.
__attribute__((noinline)) void wait_below(int depth) {
  for (int i = 0; i <= depth % 3 + 2; i++) {
    if (i < depth % 3 + 2) {
      step(i);
    } else if (depth == 0) {
      wait_forever();
    } else {
      wait_below(depth - 1);
    }
  }
  total += depth;
}
__attribute__((noinline)) void end(const char *how) {
  if (strcmp(how, "exit") == 0) exit(0);
  kill(getpid(), SIGKILL);
}
__attribute__((noinline)) void forked(const char *how) {
  work(5);
  pid_t child = fork();
  if (child == 0) {
    work(8);
    end("kill");
  }
  waitpid(child, 0, 0);
  work(11);
  end(how);
}
__attribute__((noinline)) void again(int n) {
  jmp_buf back;
  if (setjmp(back) == 0) leap(back, n);
  total++;
}
int main(int argc, char **argv) {
  if (argc > 2) forked(argv[2]);
  pthread_mutex_lock(&lock);
  for (long i = 1; i <= 5; i++) {
    start(i);
    again((int)i);
  }
  end(argv[1]);
}
SOURCE
cat >thrown.cc <<'SOURCE'
#include <csignal>
#include <cstdlib>
#include <unistd.h>
static volatile int total;
__attribute__((noinline)) void finish(bool exits) {
  if (exits) exit(0);
  kill(getpid(), SIGKILL);
}
__attribute__((noinline)) void fail(int n) {
  if (n & 1) throw n;
  total = total + 1;
}
struct Cleaner {
  ~Cleaner() { total = total + 3; }
};
__attribute__((noinline)) void pass(int n) {
  Cleaner cleaner;
  fail(n);
}
// Killed in the handler of the last: its path had started at a landing pad.
__attribute__((noinline)) int handle(int n, bool exits) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    try {
      pass(i);
      sum++;
    } catch (int k) {
      sum += k;
      if (i == n - 1) finish(exits);
    }
  }
  return sum;
}
int main(int argc, char **) { return handle(10, argc > 1) + handle(0, true); }
SOURCE
# facts NAME PROGRAM
facts() {
  "$CHORD" paths "$2.chord" --json >"$1.paths" 2>warnings || fail "$what: $(cat warnings)"
  "$CHORD" report "$2.chord" --by=function --json >"$1.functions" 2>>warnings
  case $mode in *context*) "$CHORD" contexts "$2.chord" --json --by-thread >"$1.contexts" 2>>warnings ;; esac
}
# same KILLED ENDED STARTS…: whole paths are the same. What was running is, for each function and start, what was cut short at the exit.
# STARTS: what must be among it (function=start).
same() {
  python3 - "$@" <<'PYTHON' || fail "$what: $1 and $2 differ"
import collections, json, os, sys
def read(name):
    whole, partial, running = {}, collections.Counter(), collections.Counter()
    for r in json.load(open(name + ".paths"))["rows"]:
        if r["end"] in ("exit", "loop"): whole[r["function"], r["path"]] = r["count"]
        (running if r["end"] == "running" else partial if r["end"] == "partial" else collections.Counter())[r["function"], r["start"]] += r["count"]
    calls = {r["function"]: r["calls"] for r in json.load(open(name + ".functions"))["rows"]}
    return whole, partial, running, calls
killed, ended = read(sys.argv[1]), read(sys.argv[2])
assert killed[0] == ended[0], set(killed[0].items()) ^ set(ended[0].items())
assert not ended[2] and killed[1] + killed[2] == ended[1], (killed[1:3], ended[1])
assert killed[3] == ended[3], (killed[3], ended[3])
for start in sys.argv[3:]: assert killed[2][tuple(start.split("="))] > 0, (start, killed[2])
if os.path.exists(sys.argv[1] + ".contexts"):
    contexts = [{(r["id"], r["thread"]): (r["function"], r["calls"]) for r in json.load(open(n + ".contexts"))["rows"]} for n in sys.argv[1:3]]
    assert contexts[0] == contexts[1], set(contexts[0].items()) ^ set(contexts[1].items())
PYTHON
}
# compare PROGRAM ARGUMENT_THAT_KILLS ARGUMENT_THAT_EXITS STARTS…
compare() {
  program=$1 kills=$2 exits=$3
  shift 3
  unset CHORD_DURABLE
  rm -f ./*.chord* ./*.contexts
  ./$program $exits || true
  facts ended $program
  export CHORD_DURABLE=1
  rm -f ./*.chord*
  ./$program $kills >out 2>err || true
  expect_equal "$what $program: files" 1 "$(ls $program.chord.live.* | wc -l)"
  facts killed $program
  same killed ended "$@"
  # What ends by itself leaves nothing but its profile.
  cp warnings killed.warnings
  rm -f ./*.chord*
  ./$program $exits || true
  expect_equal "$what $program: files at the end" 0 "$(ls ./*.live.* 2>/dev/null | wc -l)"
  facts by_itself $program
  same by_itself ended
  expect_equal "$what $program: warnings" "" "$(cat warnings)"
}
flags="-g -fno-optimize-sibling-calls -pthread"
for build in "gcc -O2" "clang -O0" "gcc -O1 -fPIC -pie"; do
  command -v ${build%% *} >/dev/null || continue
  for mode in --paths "--context --paths"; do
    what="$mode $build"
    "$CHORD" --verify --durable $mode $build $flags killed.c -o killed
    compare killed kill exit wait_below=loop main=loop run=entry end=entry
    for one in 'wait_below (8)' 'run (2)' 'main (1)' 'end (1)'; do expect_contains "$what: running" "$one" killed.warnings; done
    for one in 'step (' 'work (' 'leap (' 'again ('; do expect_absent "$what: not running" "$one" killed.warnings; done
    # A call that returns twice may be where somebody stood: that is said, and of no other function.
    expect_contains "$what: second returns" "calls that return twice: again" killed.warnings
    # Parent and child each have their own.
    for how in kill exit; do
      rm -f killed.chord*
      ./killed fork $how >out 2>err || true
      expect_equal "$what, fork, $how: step" 24 "$(calls killed.chord step 2>warnings)"  # 5, 8 and 11
    done
    for file in killed.chord.live.*; do "$CHORD" dump "$file" >out; done
    expect_equal "$what, dumped: step" 24 "$(calls killed.chord step 2>warnings)"
    "$CHORD" --verify --durable $mode $(echo $build | sed 's/gcc/g++/; s/clang/clang++/') $flags thrown.cc -o thrown
    compare thrown "" exits _Z6handleib=landing
  done
done
expect_status 2 "$CHORD" --durable --paths=chosen.paths gcc killed.c -o killed
expect_contains "chosen paths" "do not go together" err
