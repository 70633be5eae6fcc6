#!/bin/sh
# Functions as people name them, their own counts alone, and who calls whom.
. "$(dirname "$0")/../common.inc"
cat >shapes.cc <<'SOURCE'
#include <cstdio>
namespace shapes {
template <class T>
inline __attribute__((always_inline)) T scale(T n) {
  __asm__ volatile("nop" ::: "memory"); return n * 3;
}
struct Square {
  int side;
  __attribute__((noinline)) int area() const { return scale(side) * side; }
};
struct Circle {
  int radius;
  __attribute__((noinline)) int area() const { return scale(radius) * radius * 3; }
};
}  // namespace shapes
static __attribute__((noinline)) int add(int n) {
  shapes::Square square{n};
  shapes::Circle circle{n};
  return square.area() + circle.area() + square.area();
}
int main() {
  int (*volatile through)(int) = add;
  int sum = through(7);
  for (int i = 0; i < 5; i++) sum += add(i);
  std::printf("%d\n", sum);
}
SOURCE
for compiler in g++ clang++; do
  rm -f shapes.chord
  "$CHORD" $compiler -O1 -g -fno-optimize-sibling-calls shapes.cc -o shapes
  ./shapes >/dev/null
  "$CHORD" annotate shapes.chord shapes::Square::area >own
  expect_contains "$compiler: its line" "12 |     9" own
  expect_absent "$compiler: another function" "Circle" own
  "$CHORD" annotate shapes.chord Square::area >some
  cmp own some || fail "$compiler: without the namespace"
  "$CHORD" annotate shapes.chord area >both
  expect_contains "$compiler: unqualified" "12 |     9" both
  expect_contains "$compiler: unqualified, the other" "6 |    13" both
  "$CHORD" annotate shapes.chord quare::ar >part
  cmp own part || fail "$compiler: a part of its name"
  expect_status 1 "$CHORD" annotate shapes.chord perimeter
  # scale() was inlined into both; each function has its own share of the line.
  "$CHORD" report shapes.chord --by=line --function='*Square::area' --json >square.json
  "$CHORD" report shapes.chord --by=line --json >all.json
  python3 - <<'PYTHON' || fail "$compiler: lines"
import json
own = {r["line"]: r for r in json.load(open("square.json"))["rows"]}
all = {r["line"]: r for r in json.load(open("all.json"))["rows"]}
assert own[9]["count"] == 12 == all[9]["count"] and 13 not in own and own[9]["source"].startswith("__attribute__"), own
assert 0 < own[5]["executed"] < all[5]["executed"], (own, all)
assert own[9]["function"] == "shapes::Square::area", own[9]
PYTHON
  "$CHORD" report shapes.chord --callers=area --json >callers.json
  "$CHORD" report shapes.chord --callees=main --json >callees.json
  python3 - <<'PYTHON' || fail "$compiler: calls"
import json
callers = {r["callee_demangled"]: r for r in json.load(open("callers.json"))["rows"]}
assert {n.split("::")[1]: (r["calls"], r["sites"]) for n, r in callers.items()} == {"Square": (12, 2), "Circle": (6, 1)}, callers
assert all("add" in r["caller"] for r in callers.values())
callees = json.load(open("callees.json"))["rows"]
assert [r["calls"] for r in callees if r["callee"] is None] == [1], callees
assert [r["calls"] for r in callees if r["callee"] and "add" in r["callee"]] == [5], callees
PYTHON
done
"$CHORD" report shapes.chord --file='*.cc' --by=function >out
expect_contains "by file" "add" out
expect_status 1 "$CHORD" report shapes.chord --function=nothing --by=function
expect_status 2 "$CHORD" report shapes.chord --file='*.cc' --by=edge
