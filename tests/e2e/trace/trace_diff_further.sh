#!/bin/sh
# After two runs have parted, `chord trace diff` aligns them by their calls: every planted difference is found, in the right function and order, nothing else is, and
# what is left of both runs without the differences is the same, instruction by instruction. Also of two builds, and of several threads.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'END'
#include <pthread.h>
#include <string.h>
static volatile int sink;
__attribute__((noinline)) static int leaf(int n) {
  int s = 0;
  for (int k = 0; k < n % 4; k++) s += MORE;
  return s;
}
__attribute__((noinline)) static int extra(int n) { sink = leaf(n); return 1; }
__attribute__((noinline)) static int inner(int i, const char *planted) {
  int sum = leaf(i);
  if (planted[i] == 'i') sum += extra(i);
  return sum + leaf(i + 1);
}
__attribute__((noinline)) static int work(int i, const char *planted) {
  int sum = 0;
  for (int k = 0; k < i % 5; k++) sum += leaf(k + i);
  if (planted[i] == 'w') sum ^= extra(i);
  sum += inner(i, planted);
  if (planted[i] == 'b') sink = sum;
  return sum;
}
static void *run(void *planted) {
  int sum = 0;
  for (int i = 0; i < 40; i++) {
    if (((char *)planted)[i] == 'm') sum += extra(i);
    sum += work(i, planted);
  }
  sink = sum;
  return 0;
}
int main(int argc, char **argv) {
  pthread_t thread;
  for (int i = 1; i < argc; i++) {
    pthread_create(&thread, 0, run, argv[i]);
    pthread_join(thread, 0);
  }
  return 0;
}
END
cat >check.py <<'END'
import csv, json, os, random, subprocess
chord = os.environ["CHORD"]
random.seed(11)
where = {"i": ("inner", 2), "w": ("work", 1), "b": ("work", 1), "m": ("run", 0)}
order = {"m": 0, "w": 1, "i": 2, "b": 3}
def run(program, *planted, name):
    subprocess.run(["./" + program, *planted], check=True, env={**os.environ, "CHORD_OUT": name + ".chord"})
    return name + ".chordtrace"
def steps(trace, thread):
    text = subprocess.run([chord, "trace", trace, "--by=instruction", "--csv", f"--thread={thread}"], check=True, capture_output=True, text=True).stdout
    return [(row["function"], row["offset"], row["depth"]) for row in csv.DictReader(text.splitlines())]
def diff(one, other, most=100):
    result = subprocess.run([chord, "trace", "diff", one, other, "--json", f"--differences={most}"], capture_output=True, text=True)
    return json.loads(result.stdout)
def plant(count, kinds="iwbm"):
    out = ["."] * 40
    for i in random.sample(range(40), count):
        out[i] = random.choice(kinds)
    return "".join(out)
def expected(a, b):
    """What one does and the other does not, in the order in which it happens."""
    out = []
    for x, y in zip(a, b):
        out += [where[kind] for kind in sorted({x, y} - {"."}, key=order.get)] if x != y else []
    return out
def without(trace, gaps, number, count):
    for gap in reversed(gaps):
        del trace[gap[number]:gap[number] + gap[count]]
    return trace
found = 0
for round_ in range(40):
    a, b = plant(random.randrange(6)), plant(random.randrange(1, 8))
    one, other = run("prog", a, name="one"), run("prog", b, name="other")
    said = diff(one, other)
    if a == b:
        assert said == {"same": True}
        continue
    gaps = said["differences"]
    assert said["complete"] and said["thread"] == 2, said
    assert [(g["function"], g["depth"]) for g in gaps] == expected(a, b), (a, b, gaps)
    assert gaps[0]["number"] == said["number"] and gaps[0]["other_number"] == said["number"], said
    assert without(steps(one, 2), gaps, "number", "instructions") == without(steps(other, 2), gaps, "other_number", "other_instructions"), (a, b)
    assert all((g["instructions"] == 0) == (g["then"] is None) and (g["other_instructions"] == 0) == (g["other"] is None) for g in gaps)
    found += len(gaps)
assert found > 100, found
# Two builds, in which one function's own code differs: calls are compared, its blocks are not.
for round_ in range(10):
    a, b = plant(3), plant(4)
    said = diff(run("prog", a, name="one"), run("changed", b, name="other"))
    assert said["function"] == "leaf" or said["function"] in dict(where.values()), said
    assert [(g["function"], g["depth"]) for g in said["differences"]] == expected(a, b), (a, b, said)
# Only so many; and other threads that differ, too.
a = "." * 40
one, other = run("prog", a, a, a, name="one"), run("prog", a, plant(30), plant(5), name="other")
said = diff(one, other, 4)
assert said["thread"] == 3 and len(said["differences"]) == 4 and not said["complete"], said
assert [t["thread"] for t in said["more_threads"]] == [4], said
assert "differences" not in diff(one, other, 0)
END
"$CHORD" --trace gcc -O1 -g -DMORE=k prog.c -o prog -pthread
"$CHORD" --trace gcc -O1 -g '-DMORE=k*k+3*n' prog.c -o changed -pthread
python3 check.py || fail "see above"
"$CHORD" trace diff one.chordtrace other.chordtrace >text && fail "no difference"
expect_contains "the text" "both go on at" text
expect_contains "the other thread" "thread 4 differs, too" text
