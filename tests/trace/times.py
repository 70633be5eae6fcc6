#!/usr/bin/env python3
"""Recordings with times (--trace=time): the same control flow as without, and times that fit it.

Times never go back, lie within the run as the clock on the wall has it, come often enough, and have a sleep of 0.2 seconds where the program slept; seeking
by time finds rows of that time, with an index and without; viewers get them; a ring has them, too.

usage: times.py CHORD
"""
import csv
import json
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from ring import Failure, checked, environment, run_to_end  # noqa: E402
from variants import run  # noqa: E402

SLEPT = 200_000_000


def expect(condition, what):
    if not condition:
        raise Failure(what)


def rows_of(chord, trace, *options):
    return list(csv.DictReader(checked([chord, "trace", trace, "--by=call", "--csv", *options]).stdout.splitlines()))


def by_thread(rows):
    threads = {}
    for row in rows:
        threads.setdefault(row["thread"], []).append(row)
    return threads


def check_rows(rows, plain, lasted):
    expect([{k: v for k, v in row.items() if k != "time"} for row in rows] == plain, "with times the calls are others")
    for thread, own in by_thread(rows).items():
        times = [int(row["time"]) for row in own]
        expect(times == sorted(times) and times[-1] <= lasted, f"thread {thread}: times go back, or on after the end ({times[-1]} of {lasted})")
        expect(max(b - a for a, b in zip(times, times[1:])) >= SLEPT * 0.9, f"thread {thread}: nothing took as long as the sleep")
        # 500 rounds are some 2,000 bits, a stamp comes with 512 words: each slice has some 16th of one.
        expect(len(set(times)) >= len(times) // 40, f"thread {thread}: {len(set(times))} times for {len(times)} calls")


def check_marks(chord, trace):
    marks = json.loads(checked([chord, "trace", "marks", trace, "--json"]).stdout)["rows"]
    for thread, own in by_thread(marks).items():
        before, after = (next(row["time"] for row in own if row["mark"] == name) for name in ("before", "after"))
        expect(SLEPT <= after - before < 20 * SLEPT, f"thread {thread}: it slept {after - before} ns")
    return {row["thread"]: row["time"] for row in marks if row["mark"] == "after"}


def check_seek(chord, trace, rows, after):
    moment = after[1]
    wanted = [row for row in rows if row["thread"] == "1" and int(row["time"]) >= moment]
    got = rows_of(chord, trace, f"--from=time:{moment}ns", "--thread=1")
    # A row that begins between two stamps has the time of the first.
    expect(abs(len(got) - len(wanted)) <= 40 and got[-1:] == wanted[-1:], f"{len(got)} rows from a time on, not {len(wanted)}")
    none = rows_of(chord, trace, "--from=time:900s")
    expect(none == [], f"{len(none)} rows long after the end")
    between = rows_of(chord, trace, f"--from=time:{moment / 1e6 - 150}ms", f"--to=time:{moment / 1e6 - 50}ms", "--thread=1")
    expect(len(between) <= 1, f"{len(between)} calls while it slept")


def check_viewers(chord, trace):
    events = json.loads(checked([chord, "export", "chrome", trace]).stdout)
    expect(events["otherData"]["unit"] == "microseconds", "the axis is not that of time")
    own = [event for event in events["traceEvents"] if event["ph"] in "BE"]
    for task in {event["tid"] for event in own}:
        times = [event["ts"] for event in own if event["tid"] == task]
        expect(times == sorted(times) and max(b - a for a, b in zip(times, times[1:])) >= SLEPT / 1000 * 0.9, "times in a viewer")


def main():
    chord = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for name, option in (("plain", "--trace"), ("timed", "--trace=bits,time")):
            programs[name] = os.path.join(folder, name)
            include = os.path.join(HERE, "../../runtime/include")
            checked([chord, "--verify", option, "--except=rest", "gcc", "-O2", "-I", include, os.path.join(HERE, "times.c"), "-o", programs[name], "-pthread"])
        answer = run_to_end(programs["plain"], os.path.join(folder, "plain"))
        began = time.monotonic_ns()
        expect(run_to_end(programs["timed"], os.path.join(folder, "timed")) == answer, "with times it behaves differently")
        lasted = time.monotonic_ns() - began
        plain, timed = (os.path.join(folder, name + ".chordtrace") for name in ("plain", "timed"))
        rows = rows_of(chord, timed)
        check_rows(rows, rows_of(chord, plain), lasted)
        after = check_marks(chord, timed)
        check_seek(chord, timed, rows, after)
        # gcc may have made slice.constprop.0 of it.
        late = rows_of(chord, timed, "--from=slice*#600", "--thread=1")
        expect(late, "no call from the 600th on")
        checked([chord, "trace", "index", timed])
        expect(rows_of(chord, timed, "--from=slice*#600", "--thread=1") == late, "with an index the times are others")
        check_viewers(chord, timed)
        refused = run([chord, "trace", plain, "--from=time:1s"], env=environment())
        expect(refused.returncode == 1 and "has no times" in refused.stderr, "a time in a recording without any")
        run_to_end(programs["timed"], os.path.join(folder, "ring"), CHORD_RING="128K")
        ring = rows_of(chord, os.path.join(folder, "ring.chordtrace"))
        expect(ring and all(int(row["time"]) > 0 for row in ring), "a ring without times")
        print(f"{len(rows)} calls, {len({row['time'] for row in rows})} times; slept at {after}; ring: {len(ring)} calls")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
