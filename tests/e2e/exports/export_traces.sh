#!/bin/sh
# Traces in the formats of others, event by event: Perfetto's messages as protoc decodes them, Chrome's and speedscope's JSON, uftrace's data as
# its own `dump` and `report` print it. What is expected follows from the listings of instructions and calls. Coverage of a trace
# is, byte for byte, that of a build that counts.
. "$(dirname "$0")/../common.inc"
for tool in protoc uftrace c++filt; do command -v $tool >/dev/null || { echo "there is no $tool (script/bootstrap installs it)"; exit 1; }; done
cat >calls.cc <<'SOURCE'
#include <csetjmp>
#include <csignal>
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink, rounds = 5;
static jmp_buf place;
template <class T> NOINLINE void leaf(T n) {
  for (int i = 0; i < n; i++) sink = sink + i;
}
NOINLINE void twice(int n) {
  leaf(n);
  leaf(2 * n);
  sink = sink + 1;
}
NOINLINE int down(int n) {
  if (n == 0) return sink;
  twice(n);
  return down(n - 1) + down(n - 1) + sink;
}
NOINLINE void thrower(int n) {
  if (n == 0) throw 1;
  thrower(n - 1);
  sink = sink + 1;
}
NOINLINE void jumper(int n) {
  if (n == 0) longjmp(place, 1);
  jumper(n - 1);
  sink = sink + 1;
}
static void handler(int) { leaf<short>(2); sink = 1; }
static void *run(void *) { twice(7); sink = 1; return nullptr; }
int main() {
  for (int i = 0; i < rounds; i++) twice(10);
  try { thrower(3); } catch (int) { leaf(1); }
  if (setjmp(place) == 0) jumper(2);
  leaf<long>(3);
  sink = down(4);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, nullptr) == 0) pthread_join(thread, nullptr);
}
SOURCE
cat >check.py <<'PYTHON'
import collections, csv, json, re, subprocess, sys
def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
def listing(by):
    return list(csv.DictReader(open(f"by-{by}.csv")))
# A call ends before the first instruction that is less deep, or as deep and of another call.
calls = {(r["thread"], r["number"]): r for r in listing("call")}
expected = collections.defaultdict(list)
for thread in sorted({r["thread"] for r in listing("instruction")}):
    open_, events = [], expected[int(thread)]
    last = 0
    for r in listing("instruction"):
        if r["thread"] != thread:
            continue
        depth, begins = int(r["depth"]), calls.get((thread, r["number"]))
        while len(open_) > depth + (0 if begins else 1):
            events.append(("end", open_.pop(), int(r["number"])))
        if begins:
            open_.append(r["function"])
            events.append(("begin", r["function"], int(r["number"])))
        assert len(open_) == depth + 1 and open_[-1] == r["function"].split(".cold")[0], r
        last = int(r["number"]) + 1
    while open_:
        events.append(("end", open_.pop(), last))
assert len(expected) == 2 and len(expected[1]) > 200, {k: len(v) for k, v in expected.items()}
names = sorted({e[1] for events in expected.values() for e in events})
source = dict(zip(names, lines("c++filt", *names)))

def compare(what, got, name=lambda n: n, ends_named=True):
    wanted = {t: [(k, name(n) if ends_named or k == "begin" else None, at) for k, n, at in events] for t, events in expected.items()}
    for thread, events in wanted.items():
        for n, (a, b) in enumerate(zip(events, got[thread])):
            assert a == b, (what, thread, n, a, b)
        assert len(events) == len(got[thread]), (what, thread)
    assert set(got) == set(wanted), what

# Chrome
chrome = json.load(open("out.chrome"))["traceEvents"]
threads = {e["tid"]: int(e["args"]["name"].split()[1]) for e in chrome if e["name" if "name" in e else "ph"] == "thread_name"}
got = collections.defaultdict(list)
for e in chrome:
    if e["ph"] in "BE":
        got[threads[e["tid"]]].append(("begin" if e["ph"] == "B" else "end", e.get("name"), e["ts"]))
compare("chrome", got, source.get)

# speedscope
scope = json.load(open("out.speedscope"))
frames = scope["shared"]["frames"]
assert all(f["file"].endswith("/calls.cc") and f["line"] for f in frames), frames
got = {int(p["name"].split()[1]): [("begin" if e["type"] == "O" else "end", frames[e["frame"]]["name"], e["at"]) for e in p["events"]] for p in scope["profiles"]}
assert all(p["endValue"] == p["events"][-1]["at"] and p["type"] == "evented" for p in scope["profiles"])
compare("speedscope", got, source.get)

# Perfetto: protoc's text, a block for each message; a field that the schema lacks would have a number for its name.
def parse(text):
    out = collections.defaultdict(list)
    for line in text:
        line = line.strip()
        if line == "}":
            break
        name, brace, value = re.fullmatch(r"(\w+)(?: (\{)|: (.*))", line).groups()
        assert not name.isdigit(), line
        out[name].append(parse(text) if brace else json.loads(value) if value[0] == '"' else value)
    return out
got, tracks, text, places = collections.defaultdict(list), {}, {}, {}
packets = parse(iter(open("decoded")))["packet"]
assert [p["flags"] for p in packets] == [["1"]] + [["2"]] * (len(packets) - 1) and all(p["sequence"] == ["1"] for p in packets)
for p in packets:
    for i in p["interned"]:
        text.update({n["number"][0]: n["text"][0] for n in i["name"]})
        places.update({n["number"][0]: (n["function"][0], n["file"][0], n["line"][0]) for n in i["place"]})
    for t in p["track"]:
        for thread in t["thread"]:
            tracks[t["uuid"][0]] = int(thread["name"][0].split()[1])
    for e in p["event"]:
        got[tracks[e["track"][0]]].append(("begin", text[e["name"][0]], int(p["timestamp"][0])) if e["type"] == ["BEGIN"] else ("end", None, int(p["timestamp"][0])))
        if e["place"]:
            assert places[e["place"][0]][0] == text[e["name"][0]] and places[e["place"][0]][1].endswith("/calls.cc")
compare("perfetto", got, source.get, False)

# uftrace: its dump, event by event, then the totals of its report.
got, thread = collections.defaultdict(list), 0
for line in lines("uftrace", "dump", "-d", "data", "--demangle=no", "--no-pager"):
    if line.startswith("reading "):
        thread += 1
    elif found := re.match(r"(\d+)\.(\d{9}) +\d+: \[(entry|exit ?)\] (\S+)\([0-9a-f]+\) depth: \d+", line):
        seconds, ns, kind, name = found.groups()
        got[thread].append(("begin" if kind == "entry" else "end", name, int(seconds) * 10**9 + int(ns)))
compare("uftrace dump", got)
totals = {n: [0, 0, 0] for n in names}
for events in expected.values():
    stack = []
    for kind, name, at in events:
        if kind == "begin":
            stack.append([name, at, 0])
            totals[name][2] += 1
            continue
        _, began, below = stack.pop()
        totals[name][1] += at - began - below
        if all(f[0] != name for f in stack):
            totals[name][0] += at - began
        if stack:
            stack[-1][2] += at - began
said = {}
for line in lines("uftrace", "report", "-d", "data", "--demangle=no", "--no-pager"):
    if found := re.match(r" *([\d.]+) us +([\d.]+) us +(\d+)  (\S+)$", line):
        total, own, count, name = found.groups()
        said[name] = [round(float(total) * 1000), round(float(own) * 1000), int(count)]
assert said == totals, {n: (said.get(n), totals.get(n)) for n in {*said, *totals} if said.get(n) != totals.get(n)}
PYTHON
for build in "g++ -O1" "clang++ -O2" "g++ -O0"; do
  rm -rf data ./*.chord ./*.chordtrace
  "$CHORD" --trace $build -g calls.cc -o calls -pthread
  ./calls
  for by in instruction call; do "$CHORD" trace --by=$by --csv >by-$by.csv; done
  for format in perfetto chrome speedscope; do "$CHORD" export $format -o out.$format calls.chordtrace; done
  "$CHORD" export uftrace -o data
  protoc --decode=Trace -I"$root/tests/exports/schemas" perfetto.proto <out.perfetto >decoded
  python3 check.py || fail "$build"
  for format in lcov gcov-json; do "$CHORD" export $format calls.chordtrace >"$format.traced"; done
  "$CHORD" $build -g calls.cc -o counted -pthread
  ./counted
  for format in lcov gcov-json; do
    "$CHORD" export $format counted.chord | sed "s/counted/calls/" >"$format.counted"
    cmp "$format.traced" "$format.counted" || fail "$build: $format of a trace is not that of counts"
  done
done
# What does not go together says so.
expect_status 1 "$CHORD" export uftrace -o data calls.chordtrace
expect_contains "a folder in use" "is not empty" err
expect_status 2 "$CHORD" export uftrace calls.chordtrace
expect_status 2 "$CHORD" export bbv calls.chordtrace
expect_contains "bbv" "not made from a trace" err
expect_status 1 "$CHORD" export chrome counted.chord
expect_contains "a profile" "not a trace" err
head -c 300 calls.chordtrace >cut.chordtrace
expect_status 1 "$CHORD" export chrome cut.chordtrace
