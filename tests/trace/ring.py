#!/usr/bin/env python3
"""Rings (CHORD_RING), and processes that are killed: what is there replays, and is a part of what the whole trace has.

A program that walks through calls in an order which never repeats is recorded as a whole. Then it is recorded in a ring, in threads that come and
go, and killed at random moments with and without one: the calls must be the last ones, some in a row, or the first ones, with the same
depths and the same distances in instructions.

usage: ring.py CHORD [--kills=N] [--seed=N]
"""
import argparse
import csv
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
import encodings_of_traces  # noqa: E402
from variants import Failure, checked, environment  # noqa: E402

RING = 128 * 1024
SLACK = 3 * 32 * 1024  # the fewest chunks that a thread has


def calls_of(chord, trace):
    """By thread: (function, depth, number) of each call."""
    threads = {}
    for row in csv.DictReader(checked([chord, "trace", trace, "--by=call", "--csv"]).stdout.splitlines()):
        threads.setdefault(int(row["thread"]), []).append((row["function"], int(row["depth"]), int(row["number"])))
    return threads


def shape(calls):
    """A character for each function and depth."""
    return "".join(chr(0x4000 + 256 * len(name) + depth) for name, depth, _ in calls)


def check_part(whole, part, at, what):
    if not part:
        raise Failure(f"{what}: nothing replays")
    if at < 0 or shape(whole[at:at + len(part)]) != shape(part):
        raise Failure(f"{what}: {len(part)} calls that are no part of the whole run's")
    distances = {full[2] - own[2] for full, own in zip(whole[at:], part)}
    if len(distances) != 1:
        raise Failure(f"{what}: calls at other distances than in the whole run")


def run_to_end(program, out, *arguments, **settings):
    return checked([program, *arguments], env=environment(CHORD_OUT=out + ".chord", **settings)).stdout


def check_ring(chord, program, folder, whole, answer):
    out = os.path.join(folder, "ring")
    if run_to_end(program, out, "2000", CHORD_RING=str(RING)) != answer:
        raise Failure("in a ring it behaves differently")
    size = os.path.getsize(out + ".chordtrace")
    part = calls_of(chord, out + ".chordtrace")[1]
    check_part(whole, part, len(whole) - len(part), "ring")
    if size > RING + SLACK or len(part) >= len(whole):
        raise Failure(f"the ring has {size} bytes and {len(part)} of {len(whole)} calls")
    return f"ring: the last {len(part)} of {len(whole)} calls, {size} bytes"


def check_threads(chord, program, folder):
    whole, out = os.path.join(folder, "threads"), os.path.join(folder, "threads_ring")
    run_to_end(program, whole, "500", "6")
    run_to_end(program, out, "500", "6", CHORD_RING=str(RING))
    all_calls, parts = calls_of(chord, whole + ".chordtrace"), calls_of(chord, out + ".chordtrace")
    if max(parts) != max(all_calls):
        raise Failure("the last thread is not in the ring")
    for thread, part in parts.items():
        full = all_calls[thread]
        # Its first part may be all that is left of a thread, or the last part of one.
        at = len(full) - len(part)
        check_part(full, part, at if shape(full[at:]) == shape(part) else shape(full).find(shape(part)), f"thread {thread}")
    size = os.path.getsize(out + ".chordtrace")
    if size > RING + 2 * SLACK:
        raise Failure(f"the ring of threads has {size} bytes")
    return f"threads: {len(parts)} of {len(all_calls)}, {size} bytes"


def check_kill(chord, program, folder, whole, rng, ring):
    out = os.path.join(folder, "killed")
    settings = {"CHORD_RING": str(RING)} if ring else {}
    child = subprocess.Popen([program, "2000"], stdout=subprocess.DEVNULL, env=environment(CHORD_OUT=out + ".chord", **settings))
    time.sleep(rng.uniform(0.002, 0.03))
    child.send_signal(signal.SIGKILL)
    child.wait()
    if not os.path.exists(out + ".chordtrace") or os.path.getsize(out + ".chordtrace") == 0:
        return 0  # it had not begun
    part = calls_of(chord, out + ".chordtrace").get(1, [])
    if part:
        check_part(whole, part, shape(whole).find(shape(part)) if ring else 0, f"killed, {'ring' if ring else 'file'}")
    os.unlink(out + ".chordtrace")
    return len(part)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chord, rng = os.path.realpath(options.chord), random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        checked([chord, "--verify", encodings_of_traces.option("a ring"), "gcc", "-O2", os.path.join(HERE, "ring.c"), "-o", program, "-pthread"])
        out = os.path.join(folder, "whole")
        answer = run_to_end(program, out, "2000")
        whole = calls_of(chord, out + ".chordtrace")[1]
        print(check_ring(chord, program, folder, whole, answer))
        print(check_threads(chord, program, folder))
        for ring in (True, False):
            seen = [check_kill(chord, program, folder, whole, rng, ring) for _ in range(options.kills)]
            print(f"killed {options.kills} times, {'ring' if ring else 'file'}: {seen} calls replayed")
            if not any(seen):
                raise Failure("no run was killed while it recorded")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
