#!/bin/sh
# Wherever a function is asked for it goes by the same names: linkage name, what listings show, without parameters, without
# namespaces and classes, or a pattern of any of them.
. "$(dirname "$0")/../common.inc"
cat >shapes.cc <<'SOURCE'
namespace shapes {
struct Square {
  int side;
  __attribute__((noinline)) int area() const { __asm__ volatile("" ::: "memory"); return side * side; }
};
struct Circle {
  int radius;
  __attribute__((noinline)) int area() const { return radius * radius * 3; }
};
}  // namespace shapes
__attribute__((noinline)) int add(int n) {
  shapes::Square square{n};
  shapes::Circle circle{n};
  return square.area() + circle.area() + square.area();
}
int main() {
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += add(i);
  return sum == 150 ? 0 : 1;
}
SOURCE
calls() { # calls PROFILE [OPTIONS…]: "function calls" of those that were called
  "$CHORD" report "$@" --json | python3 -c 'import json, sys
for r in sorted(json.load(sys.stdin)["rows"], key=lambda r: r["demangled"]):
    if r["calls"]: print(r["demangled"].split("(")[0], r["calls"], end="; ")'
}
built() { # built OPTIONS…: shapes, run once
  rm -f shapes.chord shapes.chordtrace
  "$CHORD" "$@" g++ -O1 -g -fno-optimize-sibling-calls -fno-inline shapes.cc -o shapes
  ./shapes || fail "$*: the sum"
}

# What is counted.
square='shapes::Square::area 10; ' circle='shapes::Circle::area 5; '
for glob in area 'shapes::*' 'shapes::*::area' '*::area() const' '*4area*'; do
  built "--only=$glob"
  expect_equal "--only=$glob" "$circle$square" "$(calls shapes.chord)"
done
built --except=area --except=add
expect_equal "--except" "main 1; " "$(calls shapes.chord)"
built --only='shapes::Square::area() const' 2>warnings
expect_equal "a whole name" "$square" "$(calls shapes.chord)"
expect_absent "it matches" "no function" warnings

# Chains of calls.
built --context
expect_equal "two of them" "$circle$square" "$(calls shapes.chord --context='main > add > area')"
expect_equal "one of them" "$square$square" "$(calls shapes.chord --context='* > *Square*')$(calls shapes.chord --context='* > shapes::Square::area')"

# Rules of checks, and tests.
printf 'calls area <= 10\nfunction shapes::Circle::area <= 1\n' >rules
"$CHORD" check rules shapes.chord >verdicts 2>&1 && fail "a rule that does not hold"
expect_contains "a rule that does not hold" "line 2: shapes::Circle::area() const: 20 " verdicts
expect_contains "a rule that holds" "1 of 2 rules hold" verdicts
expect_equal "tests" 2 "$("$CHORD" tests --each=file --function=area --csv shapes.chord | grep -c 'shapes::')"

# What instructions of a function cost.
printf 'default 1\nfunction * 0\nfunction area 1000\n' >costs
expect_equal "costs" "$(python3 - <<PYTHON
import json, subprocess
rows = json.loads(subprocess.run(["$CHORD", "report", "shapes.chord", "--json"], check=True, capture_output=True, text=True).stdout)["rows"]
print(1000 * sum(r["executed"] for r in rows if r["demangled"].startswith("shapes::")))
PYTHON
)" "$("$CHORD" report shapes.chord --cost=costs --json | python3 -c 'import json, sys; print(sum(r["metrics"]["cost"] for r in json.load(sys.stdin)["rows"]))')"

# Traces.
built --trace
for name in area 'shapes::*' shapes::Square::area; do
  expected=15
  case $name in *Square*) expected=10 ;; esac
  expect_equal "--find=$name" $expected "$("$CHORD" trace --find="$name" --csv | grep -c area)"
done
expect_equal "--caller" 5 "$("$CHORD" trace --find='*Circle*' --caller='add(int)' --csv | grep -c area)"
for wrong in --find=perimeter --last=perimeter --from=perimeter --to=perimeter '--find=add --caller=perimeter'; do
  # shellcheck disable=SC2086
  expect_status 1 "$CHORD" trace $wrong
  expect_contains "$wrong" "=perimeter: no traced function is called so" err
done
for late in '--from=add#6' '--to=area#16' --from=mark:never; do
  expect_status 1 "$CHORD" trace "$late"
  expect_contains "$late" "$late: no thread came there" err
done
expect_status 1 "$CHORD" trace --thread=7
expect_contains "a thread that is not in it" "has no such thread" err
