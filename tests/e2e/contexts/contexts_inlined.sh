#!/bin/sh
# chord contexts --inlined: below each context the functions that were inlined in it, as they lie in each other. Their instructions add up to
# those of the context, and over all contexts to what `chord report --by=inlined` has; what they call is called from there; calls of them
# are not counted.
. "$(dirname "$0")/../common.inc"
cat >inlined.c <<'SOURCE'
#define NOINLINE __attribute__((noinline))
#define INLINE __attribute__((always_inline)) static inline
static volatile int sink;
NOINLINE int leaf(int n) { return n & 1 ? n * sink : n; }
INLINE int inner(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += leaf(i) ^ sink;
  return sum;
}
INLINE int outer(int n) { return inner(n) * sink + inner(n + 1); }
NOINLINE int first(int n) { return outer(n) + leaf(n); }
NOINLINE int second(int n) { return n > 2 ? outer(2 * n) + first(n) : sink; }
int main(void) {
  for (int i = 0; i < 5; i++) second(i);
  return (first(3) + outer(2)) & 0;
}
SOURCE
for build in "gcc -O2 -g" "clang -O1 -g"; do
  command -v ${build%% *} >/dev/null || continue
  rm -f ./*.chord
  "$CHORD" --context $build inlined.c -o inlined
  ./inlined
  "$CHORD" contexts --json >plain.json
  "$CHORD" contexts --inlined --json >inlined.json 2>err
  expect_contains "$build: what is not counted" "calls are not counted" err
  "$CHORD" report --by=inlined --json >by_inlined.json 2>err
  python3 - <<'PYTHON' || fail "$build: the tree is not what it should be"
import json
read = lambda name: json.load(open(name))["rows"]
plain, rows = {r["id"]: r for r in read("plain.json")}, read("inlined.json")
nodes = {r["id"]: r for r in rows}
assert len(nodes) == len(rows)
own, below, by_function = {}, {}, {}
for r in rows:
    at = r
    while at["kind"] == "inlined":
        at = nodes[at["parent"]]
    own[at["id"]] = own.get(at["id"], 0) + r["exclusive"]
    below[r["parent"]] = below.get(r["parent"], 0) + r["inclusive"]
    if r["kind"] == "inlined":
        assert r["calls"] is None, r
        by_function[r["function"]] = by_function.get(r["function"], 0) + r["exclusive"]
assert own == {i: r["exclusive"] for i, r in plain.items()}, (own, plain)
assert all(r["inclusive"] == r["exclusive"] + below.get(r["id"], 0) for r in rows)
assert all(nodes[i]["inclusive"] == r["inclusive"] and nodes[i]["calls"] == r["calls"] for i, r in plain.items())
assert by_function == {r["function"]: r["executed"] for r in read("by_inlined.json") if r["executed"]}, by_function
name = lambda r: r["function"] + ("'" if r["kind"] == "inlined" else "")
def chain(r):
    return (chain(nodes[r["parent"]]) + " > " if r["parent"] else "") + name(r)
chains = {}
for r in rows:
    if r["calls"]: chains[chain(r)] = chains.get(chain(r), 0) + r["calls"]
# second(3) and second(4): outer(6) and outer(8), first(3) and first(4); then first(3) again, and outer(2)
expected = {"main": 1, "main > second": 5, "main > second > outer' > inner' > leaf": 6 + 7 + 8 + 9, "main > second > first": 2,
            "main > second > first > outer' > inner' > leaf": 3 + 4 + 4 + 5, "main > second > first > leaf": 2,
            "main > first": 1, "main > first > outer' > inner' > leaf": 3 + 4, "main > first > leaf": 1, "main > outer' > inner' > leaf": 2 + 3}
assert chains == expected, chains
PYTHON
  "$CHORD" contexts --inlined --callers=leaf --json >callers.json 2>err
  expect_equal "$build: callers of leaf" "first inner" "$(python3 -c 'import json; print(*sorted({r["function"] for r in json.load(open("callers.json"))["rows"]}))')"
  "$CHORD" contexts --inlined --function=outer --json >out 2>err
  expect_equal "$build: contexts of outer" "main > first > outer; main > outer; main > second > first > outer; main > second > outer" \
    "$(python3 -c 'import json; print(*sorted({r["chain"] for r in json.load(open("out"))["rows"]}), sep="; ")')"
  "$CHORD" contexts --inlined >out 2>err
  expect_contains "$build: text" "(inlined)" out
done
expect_status 2 "$CHORD" contexts --inlined --missing
# Without debug information there is nothing to tell, and it is said.
"$CHORD" --context gcc -O2 -g0 inlined.c -o inlined
rm -f ./*.chord
./inlined
"$CHORD" contexts --inlined --json >out 2>err
expect_contains "without -g" "build with -g" err
rows() { python3 -c 'import json, sys; print(*sorted(json.dumps(r) for r in json.load(sys.stdin)["rows"]), sep="\n")'; }
expect_equal "without -g: rows" "$("$CHORD" contexts --json | rows)" "$(rows <out)"
