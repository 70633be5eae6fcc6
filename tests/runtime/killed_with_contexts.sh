#!/bin/sh
# CHORD_DURABLE=1 and --context: records of contexts survive SIGKILL. Those of functions that were not running are exact, the
# others right up to their running activations; and they add up to what the functions did.
. "$(dirname "$0")/../e2e/common.inc"
. "$here/waiting_threads.inc"
cat >killed.c <<'SOURCE'
#include "threads.h"
__attribute__((noinline)) void step(int n) {
  if (n & 1) total++;
}
__attribute__((noinline)) void work(int n) {
  for (int i = 0; i < n; i++) step(i);
}
__attribute__((noinline)) void wait_below(int depth) {
  if (depth == 0) {
    wait_forever();
  } else {
    wait_below(depth - 1);
  }
  total += depth;
}
__attribute__((noinline)) void other(int n) { work(n + 1); }
__attribute__((noinline)) void end(const char *how) {
  if (!strcmp(how, "exit")) exit(0);
  if (!strcmp(how, "failed")) {
    execl("/nonexistent", "x", (char *)0);
    other(4);
  }
  kill(getpid(), SIGKILL);
}
__attribute__((noinline)) void forked(const char *how) {
  work(5);
  pid_t child = fork();
  if (child == 0) {
    other(7);
    end("kill");
  }
  waitpid(child, 0, 0);
  work(11);
  end(how);
}
int main(int argc, char **argv) {
  jmp_buf back;
  if (argc > 2) forked(argv[2]);
  pthread_mutex_lock(&lock);
  for (long i = 1; i <= 5; i++) {
    start(i);
    if (setjmp(back) == 0) leap(back, (int)i);
    other((int)i);
  }
  end(argv[1]);
}
SOURCE
facts() {  # NAME
  "$CHORD" contexts killed.chord --json --by-thread >"$1.contexts" 2>warnings
  "$CHORD" report killed.chord --by=function --json >"$1.functions" 2>>warnings
}
# Contexts of the first are those of the second, up to what was running (function=activations …), and add up to its functions.
same() {  # NAME NAME RUNNING…
  python3 - "$@" <<'PYTHON' || fail "$what: contexts of $1 and $2 differ"
import json, sys
read = lambda name: json.load(open(name))["rows"]
running = {f: int(n) for f, n in (r.split("=") for r in sys.argv[3:])}
one, two = ({(r["id"], r["thread"]): r for r in read(n + ".contexts")} for n in sys.argv[1:3])
assert one.keys() == two.keys(), one.keys() ^ two.keys()
for key, row in one.items():
    other, function = two[key], row["function"]
    assert row["calls"] == other["calls"], (row, other)
    assert abs(row["exclusive"] - other["exclusive"]) <= 20 * running.get(function, 0), (row, other)
for row in read(sys.argv[1] + ".functions"):
    contexts = [r for r in one.values() if r["function"] == row["function"]]
    assert sum(r["calls"] for r in contexts) == row["calls"], row
    assert abs(sum(r["exclusive"] for r in contexts) - row["executed"]) <= 20 * running.get(row["function"], 0), row
PYTHON
}
flags="-g -fno-optimize-sibling-calls -pthread"
for build in "gcc -O2" "clang -O0" "gcc -O1 -fPIC -pie"; do
  command -v ${build%% *} >/dev/null || continue
  for mode in --context --context=depth:2; do
    what="$mode $build"
    "$CHORD" --verify --durable $mode $build $flags killed.c -o killed
    unset CHORD_DURABLE
    rm -f killed.chord*
    ./killed exit
    facts ended
    export CHORD_DURABLE=1
    rm -f killed.chord*
    ./killed kill >out 2>err || true
    expect_equal "$what: files" 1 "$(left)"
    facts killed
    same killed ended main=1 end=1 run=2 wait_below=8
    for one in 'wait_below (8)' 'run (2)' 'main (1)' 'end (1)'; do expect_contains "$what: running" "$one" warnings; done
    for one in 'step (' 'work (' 'leap (' 'other ('; do expect_absent "$what: not running" "$one" warnings; done
    "$CHORD" annotate killed.chord --context='main > other > work' work >out 2>err || fail "$what: annotate: $(cat err)"
    # What ends by itself leaves nothing but its profile.
    rm -f killed.chord*
    ./killed exit
    expect_equal "$what: files" 0 "$(left)"
    facts by_itself
    same by_itself ended
    expect_equal "$what: warnings" "" "$(cat warnings)"
    # A failed exec writes a segment, and counting goes on in a new file.
    rm -f killed.chord*
    ./killed failed >out 2>err || true
    expect_equal "$what, failed exec: files" 1 "$(left)"
    # 10 + 20 + … + 50 steps of threads, 2 + … + 6 of other, 5 after the exec
    expect_equal "$what, failed exec: step" 175 "$(calls killed.chord step 2>warnings)"
    # Parent and child each have their own.
    for how in kill exit; do
      rm -f killed.chord*
      ./killed fork $how >out 2>err || true
      expect_equal "$what, fork, $how: files" $([ $how = kill ] && echo 2 || echo 1) "$(left)"
      expect_equal "$what, fork, $how: step" 24 "$(calls killed.chord step 2>warnings)"  # 5, 8 and 11
      "$CHORD" contexts killed.chord --json --function=step 2>warnings >step.json
      expect_equal "$what, fork, $how: contexts of step" "11 8 5" \
        "$(python3 -c 'import json; print(*sorted((r["calls"] for r in json.load(open("step.json"))["rows"]), reverse=True))')"
    done
    for file in killed.chord.live.*; do "$CHORD" dump "$file" >out; done
    expect_equal "$what, dumped: files" 0 "$(left)"
    expect_equal "$what, dumped: step" 24 "$(calls killed.chord step 2>warnings)"
  done
done
