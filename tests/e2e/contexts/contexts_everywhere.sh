#!/bin/sh
# Calling contexts wherever they are shown: the database, the page, what functions and calls took with all they called, rules about that, and
# the statistics of the tree, all as `chord contexts` and arithmetic have it.
. "$(dirname "$0")/../common.inc"
command -v sqlite3 >/dev/null || fail "sqlite3 is missing; script/bootstrap installs it"
cat >calls.c <<'SOURCE'
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
static NOINLINE void leaf(void) { __asm__ volatile("nop\n\tnop\n\tnop"); }
static NOINLINE void twice(void) {
  leaf();
  leaf();
  sink = 1;
}
static NOINLINE void down(int n) {
  if (n == 0) return;
  leaf();
  down(n - 1);
  sink = 2;
}
static NOINLINE void odd(int n);
static NOINLINE void even(int n) {
  leaf();
  if (n > 0) odd(n - 1);
  sink = 3;
}
static NOINLINE void odd(int n) {
  twice();
  if (n > 0) even(n - 1);
  sink = 4;
}
static void *run(void *argument) {
  void (*volatile call)(void) = twice;
  for (int i = 0; i < 10; i++) call();
  return argument;
}
int main(void) {
  pthread_t threads[4];
  down(100);
  even(9);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0;
}
SOURCE
# Unrolled, one line would hold several calls.
for build in "gcc -O1" "clang -O2 -fno-unroll-loops"; do
  rm -f ./*.chord
  "$CHORD" --context $build -g calls.c -o calls -pthread
  ./calls
  "$CHORD" contexts --by-thread --json >contexts.json
  "$CHORD" contexts --json >merged.json
  "$CHORD" export sqlite -o calls.db
  "$CHORD" html -o calls.html >/dev/null
  "$CHORD" events --by=function --json >functions.json
  "$CHORD" events --by=callsite --json >sites.json
  "$CHORD" study contexts --json >study.json
  expect_equal "the database is whole" ok "$(sqlite3 calls.db 'PRAGMA integrity_check')"
  expect_equal "references are good" "" "$(sqlite3 calls.db 'PRAGMA foreign_key_check')"
  PYTHONPATH="$root/tests/html" python3 - "$build" <<'PYTHON' || fail "$build"
import collections, json, sqlite3, sys
from data import Page

def same(what, expected, got):
    if expected != got:
        sys.exit(f"{sys.argv[1]}: {what}: expected {expected}, got {got}")

whole = json.load(open("contexts.json"))
rows = {(r["thread"], r["id"]): r for r in whole["rows"]}
def chain(r):
    return (chain(rows[r["thread"], r["parent"]]) if r["parent"] else ()) + ((r["function"], r["site"]),)

# The database: each thread's contexts with their chains.
db = sqlite3.connect("calls.db")
found = {}
for number, parent, function, key, thread, file, line, *costs in db.execute(
        "SELECT contexts.id, parent, functions.name, key, thread, files.name, contexts.line, contexts.calls, exclusive, contexts.inclusive FROM contexts "
        "JOIN functions ON functions.id = contexts.function LEFT JOIN files ON files.id = contexts.file ORDER BY contexts.id"):
    above = found[parent][1] if parent else ()
    found[number] = ((thread, key), above + ((function, f"{file.split('/')[-1]}:{line}" if line else ""),), tuple(costs))
same("database", {k: (chain(r), (r["calls"], r["exclusive"], r["inclusive"])) for k, r in rows.items()},
     {k: (c, n) for k, c, n in found.values()})
same("the database's total", whole["instructions"], db.execute("SELECT sum(exclusive) FROM contexts").fetchone()[0])

# The page: threads together.
page = Page("calls.html").index
c, names = page["contexts"], page["functions"]["name"]
chains = []
for parent, function, line in zip(c["parent"], c["function"], c["line"]):
    chains.append((chains[parent] if parent >= 0 else ()) + ((names[function], line),))
merged = {r["id"]: r for r in json.load(open("merged.json"))["rows"]}
def lines(r):
    return (lines(merged[r["parent"]]) if r["parent"] else ()) + ((r["function"], int(r["site"].split(":")[1]) if r["site"] else 0),)
same("page", {lines(r): (r["calls"], r["exclusive"]) for r in merged.values()}, dict(zip(chains, zip(c["calls"], c["exclusive"]))))

# With all they call.
functions = {r["function"]: r for r in json.load(open("functions.json"))["rows"]}
each = functions["leaf"]["exclusive"] // functions["leaf"]["calls"]
same("calls of leaf", 100 + 5 + 2 * 5 + 2 * 40, functions["leaf"]["calls"])
f = {name: (r["exclusive"], r["inclusive"]) for name, r in functions.items()}
same("leaf", f["leaf"][0], f["leaf"][1])
same("twice", f["twice"][0] + 90 * each, f["twice"][1])
same("down", f["down"][0] + 100 * each, f["down"][1])
same("run", f["run"][0] + (f["twice"][0] // 45 + 2 * each) * 40, f["run"][1])
same("even, which holds odd", f["even"][0] + f["odd"][0] + 5 * each + (f["twice"][0] // 45 + 2 * each) * 5, f["even"][1])
same("odd, across which the recursion was folded", None, f["odd"][1])
same("main", f["main"][0] + f["down"][1] + f["even"][1], f["main"][1])
places = collections.defaultdict(list)
for r in json.load(open("sites.json"))["rows"]:
    places[r["function"], r["callee"]].append((r["calls"], r["inclusive"]))
same("main calls down", [(1, f["down"][1])], places["main", "down"])
same("main calls even", [(1, f["even"][1])], places["main", "even"])
same("down calls down", [(100, None)], places["down", "down"])
same("odd calls even", [(4, None)], places["odd", "even"])
same("by address", [(40, f["run"][1] - f["run"][0])], places["run", ""])
same("twice calls leaf", [(45, 45 * each)] * 2, places["twice", "leaf"])

# The tree.
(study,) = json.load(open("study.json"))["rows"]
children, copies, depth = collections.Counter(), collections.Counter(), {}
for key, r in rows.items():
    copies[r["function"]] += 1
    if r["parent"]:
        children[r["thread"], r["parent"]] += 1
    depth[key] = len(chain(r))
leaves = [depth[k] for k in rows if not children[k]]
for what, value in {"nodes": len(rows), "roots": sum(not r["parent"] for r in rows.values()), "interior": len(children), "leaves": len(leaves),
                    "leaf_depths": sum(leaves), "highest": max(depth.values()), "most_copies": max(copies.values()),
                    "used": len({(r["thread"], r["parent"], r["site"]) for r in rows.values() if r["parent"]}),
                    "degree": f"{sum(children.values()) / len(children):.1f}", "height": f"{sum(leaves) / len(leaves):.1f}"}.items():
    same(what, value, study[what])
if not study["used"] <= study["sites"] or study["record_bytes"] % 64:
    sys.exit(f"{sys.argv[1]}: {study}")
PYTHON
  down=$(field functions.json down inclusive)
  printf 'inclusive down <= %s\ncallsite main down <= %s\n' "$down" "$down" >rules
  expect_status 0 "$CHORD" check rules calls.chord
  printf 'inclusive down <= %s\n' "$((down - 1))" >rules
  expect_status 1 "$CHORD" check rules calls.chord
  echo 'inclusive odd <= 1000000' >rules
  expect_status 1 "$CHORD" check rules calls.chord
  expect_contains "$build: what contexts do not tell" "contexts do not tell what it took" err
done
