#!/bin/sh
# pprof's format: protoc decodes it by a schema, with no field that the schema does not have, and the samples are the contexts of
# `chord contexts`, with their calls, instructions, threads and lines of calls; pprof itself, where there is Go, prints the same totals.
. "$(dirname "$0")/../common.inc"
command -v protoc >/dev/null || { echo "there is no protoc (script/bootstrap installs it)"; exit 1; }
cat >calls.cc <<'SOURCE'
#include <pthread.h>
#include <signal.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink, rounds = 5;
template <class T> NOINLINE void leaf(T n) {
  for (int i = 0; i < n; i++) sink = sink + i;
}
NOINLINE void twice(int n) {
  leaf(n);
  leaf(2 * n);
  sink = sink + 1;
}
static void handler(int) { leaf<short>(2); sink = 1; }
static void *run(void *) { twice(7); sink = 1; return nullptr; }
int main() {
  for (int i = 0; i < rounds; i++) twice(10);
  leaf<long>(3);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, nullptr) == 0) pthread_join(thread, nullptr);
}
SOURCE
for build in "g++ -O1" "clang++ -O2" "g++ -O0"; do
  rm -f ./*.chord
  "$CHORD" --context $build -g calls.cc -o calls -pthread
  ./calls
  "$CHORD" contexts --by-thread --json >contexts.json
  "$CHORD" export pprof -o out.pb.gz
  gzip -dc out.pb.gz | protoc --decode=Profile -I"$root/tests/exports/schemas" pprof.proto >decoded
  python3 - "$build" <<'PYTHON' || fail "$build"
import collections, json, re, sys

# protoc's text: blocks by name, members by name; a number instead of a name is a field that the schema lacks.
def parse(lines):
    out = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            return out
        name, brace, rest = re.fullmatch(r"(\w+)(?: (\{)|: (.*))", line).group(1, 2, 3)
        if name.isdigit():
            sys.exit(f"unknown field {name}")
        if brace:
            out[name].append(parse(lines))
        else:
            out[name].append(json.loads(rest) if rest[0] == '"' else rest == "true" if rest in ("true", "false") else int(rest))
    return out
profile = parse(iter(open("decoded")))
strings = profile["string"]
def one(message, name, default=0):
    return message[name][0] if message[name] else default
def text(message, name):
    return strings[one(message, name)]
assert strings[0] == "" and len(set(strings)) == len(strings)
assert [(text(t, "type"), text(t, "unit")) for t in profile["sample_type"]] == [("calls", "count"), ("instructions", "count")]
assert text(profile, "default_sample_type") == "instructions"
functions = {f["id"][0]: f for f in profile["function"]}
places = {l["id"][0]: (text(functions[l["line"][0]["function"][0]], "name"), one(l["line"][0], "number")) for l in profile["location"]}
assert len(places) == len(profile["location"]) and 0 not in places
got = collections.Counter()
for s in profile["sample"]:
    labels = {text(l, "key"): one(l, "number") or text(l, "text") for l in s["label"]}
    chain = [places[n] for n in s["location"]][::-1]
    # From the root: each function, and the line where it calls the next.
    got[(labels["thread"], labels.get("kind", ""), tuple(n for n, _ in chain), tuple(l for _, l in chain[:-1]), *s["value"])] += 1

rows = json.load(open("contexts.json"))
by_id = {(r["thread"], r["id"]): r for r in rows["rows"]}
expected = collections.Counter()
for r in rows["rows"]:
    if not r["calls"] and not r["exclusive"]:
        continue
    names, lines, at = [], [], r
    while True:
        names.append(at["demangled"])
        if not at["parent"]:
            break
        lines.append(int(at["site"].rsplit(":", 1)[1]))
        at = by_id[at["thread"], at["parent"]]
    expected[(r["thread"], r["kind"], tuple(names[::-1]), tuple(lines[::-1]), r["calls"], r["exclusive"])] += 1
if got != expected:
    sys.exit(f"expected {expected - got}, got {got - expected}")
total = sum(k[-1] * n for k, n in got.items())
if total != rows["instructions"]:
    sys.exit(f"{total} of {rows['instructions']} instructions")
print(total)
PYTHON
  if command -v go >/dev/null; then
    HOME=$work go tool pprof -top out.pb.gz >top 2>/dev/null
    total=$(python3 -c 'import json; print(json.load(open("contexts.json"))["instructions"])')
    expect_contains "$build: pprof" "100% of $total total" top
  fi
done
"$CHORD" export pprof -o again.pb.gz
cmp out.pb.gz again.pb.gz || fail "the same counts give other bytes"
sample_program
rm -f ./*.chord
"$CHORD" gcc sample.c -o sample && ./sample >/dev/null
for format in pprof firefox; do
  expect_status 1 "$CHORD" export $format -o none
  expect_contains "$format without contexts" "holds no calling contexts" err
done
