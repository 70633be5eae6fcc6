#!/bin/sh
# `chord trace diff` names the first instruction in which two runs differ: of a hundred and twenty pairs, in input, in seed or in one line of the
# source. What it names is compared with the listings of both runs.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static unsigned state;
static unsigned next(void) { return state = state * 1103515245u + 12345u; }
static int leaf(int n) { return n % 3 == 0 ? n / 2 : n + 1; }
static int work(int i, int planted) {
  int sum = 0;
  for (int k = 0; k < i % 5; k++) sum += leaf(k + i);
  if (i == planted) sum ^= leaf(sum);
  return sum;
}
int main(int argc, char **argv) {
  int sum = 0;
  state = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
  for (int i = 0; i < 40; i++) {
    sum += work(i, atoi(argv[1]));
    if (next() >> 20 & LINE) sum += leaf(sum);
  }
  printf("%d\n", sum);
  return 0;
}
END
"$CHORD" --trace gcc -O2 -g -fno-inline -DLINE=8 prog.c -o prog
"$CHORD" --trace gcc -O2 -g -fno-inline -DLINE=16 prog.c -o other
cat >check.py <<'END'
import csv, json, os, random, subprocess, sys
chord = os.environ["CHORD"]
random.seed(5)
def run(program, *arguments):
    name = "-".join([program, *arguments])
    subprocess.run(["./" + program, *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "CHORD_OUT": name + ".chord"})
    return name + ".chordtrace"
known = {}
def steps(trace):
    if trace not in known:
        text = subprocess.run([chord, "trace", trace, "--by=instruction", "--csv"], check=True, capture_output=True, text=True).stdout
        known[trace] = [(row["function"], int(row["offset"]), int(row["line"])) for row in csv.DictReader(text.splitlines())]
    return known[trace]
def compare(one, other):
    a, b = steps(one), steps(other)
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x[:2] != y[:2]), min(len(a), len(b)))
    result = subprocess.run([chord, "trace", "diff", one, other, "--json"], capture_output=True, text=True)
    said = json.loads(result.stdout)
    if a == b:
        assert said == {"same": True} and result.returncode == 0, (one, other, said)
        return 0
    assert result.returncode == 1 and said["same"] is False and said["thread"] == 1, (one, other, said, result.stderr)
    assert (said["number"], said["function"], said["offset"], said["line"]) == (at, *a[at - 1]), (one, other, said, at, a[at - 1])
    assert said["context"][0]["function"] == "main", said
    return 1
pairs = [(run("prog", "-1"), run("prog", str(n))) for n in range(40)]
pairs += [(run("prog", "-1", str(n)), run("prog", "-1", str(random.randrange(1 << 20)))) for n in range(40)]
pairs += [(run("prog", str(n), str(n)), run("other", str(n), str(n))) for n in range(50)]
found = sum(compare(one, other) for one, other in pairs)
assert found >= 100, found
assert compare(pairs[0][0], pairs[0][0]) == 0
END
python3 check.py || fail "see above"
