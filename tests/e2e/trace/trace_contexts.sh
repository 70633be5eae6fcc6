#!/bin/sh
# Calling contexts made from a trace are those that a build with --context counts: chains, sites, calls, instructions.
. "$(dirname "$0")/../common.inc"
cat >check.py <<'PYTHON'
import collections, json, os, subprocess, sys
chord = os.environ["CHORD"]
def contexts(profile):
    done = subprocess.run([chord, "contexts", profile, "--json", "--by-thread"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    by_id = {(row["thread"], row["id"]): row for row in rows}
    def chain(row):
        above = chain(by_id[row["thread"], row["parent"]]) if row["parent"] else (row["kind"],)
        return above + ((row["site"], row["function"]),)
    trees = collections.defaultdict(collections.Counter)
    for row in rows:
        for what in ("calls", "exclusive", "inclusive"):
            trees[row["thread"]][chain(row), what] += row[what]
    # Which thread has which number is chance.
    return collections.Counter(entry for tree in trees.values() for entry in [frozenset((+tree).items())])
traced, counted = contexts(sys.argv[1] + ".chordtrace"), contexts(sys.argv[2] + ".chord")
assert sum(map(len, counted)) > 5, counted
assert traced == counted, f"only in the trace {traced - counted}, only counted {counted - traced}"
print(f"{sys.argv[3]}: {len(counted)} trees, {sum(map(len, counted)) // 3} contexts")
PYTHON
check() {
  source=$1
  compiler=gcc
  [ "${source%.cc}" = "$source" ] || compiler=g++
  for level in -O0 -O2; do
    "$CHORD" --trace $compiler $level -g "$root/tests/$source" -o traced -pthread
    "$CHORD" --context $compiler $level -g "$root/tests/$source" -o counted -pthread
    rm -f ./*.chord ./*.chordtrace
    ./traced >out 2>&1 || :
    ./counted >out 2>&1 || :
    python3 check.py traced counted "$source $level" || fail "$source $level"
  done
}
for source in contexts/programs/recursion.c contexts/programs/callbacks.c contexts/programs/jumps.c contexts/programs/objects.cc suite/programs/tail_calls.c suite/programs/signals.c paths/programs/threads_paths.c; do check "$source"; done
