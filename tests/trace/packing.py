#!/usr/bin/env python3
"""Traces that are packed while they are recorded: they replay like others, however program and packer end, and the program sees nothing of it.

A program is recorded without a packer, and with one: both traces must have the same calls at the same instructions. Then: in threads, in the child of a
fork, over an exec, twice at once, twice in a row; while it looks for children, signals and descriptors; killed at random moments; with the packer
killed; with none, a wrong one, as the first process of a container, as one that adopts orphans; on a full disk (the last three as root).

usage: packing.py CHORD [--kills=N] [--seed=N]
"""
import argparse
import csv
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from ring import Failure, checked, environment  # noqa: E402

MAGIC = bytes.fromhex("502a4d18 08000000")
ROUNDS = "3000000"


class Bench:
    """What all cases share."""

    def __init__(self, chord, program, folder):
        self.chord, self.program, self.folder = chord, program, folder
        self.cases = 0

    def fresh(self):
        """Where the next trace goes."""
        self.cases += 1
        place = os.path.join(self.folder, f"case{self.cases}")
        os.mkdir(place)
        return os.path.join(place, "run")

    def settings(self, out, **more):
        return environment(CHORD_OUT=out + ".chord", **more)

    def start(self, out, *arguments, wrap=(), **more):
        return subprocess.Popen([*wrap, self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.settings(out, **more))

    def run(self, out, *arguments, wrap=(), **more):
        child = self.start(out, *arguments, wrap=wrap, **more)
        output, errors = child.communicate(timeout=120)
        if child.returncode != 0 or errors:
            raise Failure(f"{arguments}: status {child.returncode}, {errors}")
        return output

    def calls(self, trace):
        """By thread: numbers at which calls began."""
        threads = {}
        for row in csv.DictReader(checked([self.chord, "trace", trace, "--by=call", "--csv"]).stdout.splitlines()):
            threads.setdefault(int(row["thread"]), []).append((row["function"], int(row["number"])))
        return threads


def is_packed(trace):
    with open(trace, "rb") as file:
        return file.read(8) == MAGIC


def expect(condition, what):
    if not condition:
        raise Failure(what)


def expect_packed(out):
    """After a reader, who waits for the packer."""
    expect(is_packed(out + ".chordtrace"), "it was not packed")
    expect(not os.path.exists(out + ".chordtrace.packing"), "something is left beside the packed trace")


def packers_of(out):
    found = []
    for name in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(name, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if b"--live" in words and os.fsencode(out + ".chordtrace") in words:
            found.append(int(name.split("/")[2]))
    return found


def await_packer(out):
    for _ in range(500):
        if os.path.exists(out + ".chordtrace.packing") and packers_of(out):
            return packers_of(out)[0]
        time.sleep(0.002)
    return None


def same_as_raw(bench):
    raw, packed = bench.fresh(), bench.fresh()
    answer = bench.run(raw, ROUNDS, CHORD_TRACE_PACK="off")
    expect(bench.run(packed, ROUNDS) == answer, "with a packer it behaves differently")
    whole = bench.calls(raw + ".chordtrace")
    expect(bench.calls(packed + ".chordtrace") == whole, "packed and raw traces differ")
    expect_packed(packed)
    expect(not is_packed(raw + ".chordtrace"), "it is packed although that is off")
    before, after = (os.path.getsize(name + ".chordtrace") for name in (raw, packed))
    checked([bench.chord, "trace", "pack", "--unpack", packed + ".chordtrace"])
    expect(bench.calls(packed + ".chordtrace") == whole, "unpacked and raw traces differ")
    return whole, answer, f"{before} bytes, packed {after}"


def walks(threads):
    """How many calls each thread made, of those that walk."""
    return sorted(len(calls) for calls in threads.values() if len(calls) > 1000)


def in_threads(bench, whole):
    out = bench.fresh()
    bench.run(out, ROUNDS, "threads")
    got = bench.calls(out + ".chordtrace")
    expect_packed(out)
    # The first thread of the whole run begins with main.
    expect(walks(got) == [len(whole[1])] * 4, f"threads have {walks(got)} calls, not four times {len(whole[1])}")


def in_the_child_of_a_fork(bench):
    out = bench.fresh()
    expect(bench.run(out, ROUNDS, "fork") == "1 1\n1\n", "waiting for a child behaves differently")
    traces = sorted(glob.glob(os.path.dirname(out) + "/*.chordtrace"))
    expect(len(traces) == 2, f"a fork left {traces}")
    parent, child = sorted((walks(bench.calls(trace))[0] for trace in traces), reverse=True)
    expect(parent > 2 * child - 10 and parent <= 2 * child + 10 and all(map(is_packed, traces)), f"parent {parent}, child {child} calls")


def over_an_exec(bench, whole, answer):
    """The new image begins the file anew, while the old one's is being packed."""
    out = bench.fresh()
    expect(bench.run(out, ROUNDS, "exec") == answer + answer, "exec behaves differently")
    expect(bench.calls(out + ".chordtrace") == whole, "the trace is not that of the last image")
    expect_packed(out)


def at_once_and_in_a_row(bench, whole, answer):
    out = bench.fresh()
    both = [bench.start(out, ROUNDS) for _ in range(3)]
    expect([child.communicate(timeout=120)[0] for child in both] == [answer] * 3, "at once they behave differently")
    for trace in glob.glob(os.path.dirname(out) + "/*.chordtrace"):
        expect(bench.calls(trace) == whole, "processes at the same time disturb each other")
    expect(len(glob.glob(os.path.dirname(out) + "/*.chordtrace*")) == 3, "traces are lost, or something is left")
    for _ in range(4):
        bench.run(out, ROUNDS)
    bench.run(out, "20000")
    expect(len(bench.calls(out + ".chordtrace")[1]) == 22, "the last run's trace is not there")
    time.sleep(1)
    expect(len(bench.calls(out + ".chordtrace")[1]) == 22, "an earlier run's packer has put its trace there")
    expect(len(glob.glob(os.path.dirname(out) + "/*.chordtrace*")) == 3, "something is left")


def unseen(bench):
    out = bench.fresh()
    seen = bench.run(out, ROUNDS, "look")
    expect(seen == "0 signals, 0 children, 0 descriptors\n", f"the program saw {seen}")
    bench.calls(out + ".chordtrace")
    expect_packed(out)
    out = bench.fresh()
    bench.run(out, ROUNDS, "close")
    bench.calls(out + ".chordtrace")
    expect_packed(out)


def check_prefix(bench, trace, whole, what):
    if not os.path.exists(trace) or os.path.getsize(trace) == 0:
        return 0
    part = bench.calls(trace).get(1, [])
    expect(part == whole[1][:len(part)], f"{what}: {len(part)} calls that are not the first of the run")
    return len(part)


def killed(bench, whole, rng, times):
    """Program, packer, or one after the other."""
    counts = []
    for _ in range(times):
        out, whom = bench.fresh(), rng.choice(["program", "packer", "both"])
        child = bench.start(out, ROUNDS)
        if whom != "program":
            packer = await_packer(out)
            time.sleep(rng.uniform(0, 0.05))
            try:
                os.kill(packer, signal.SIGKILL)
            except (TypeError, ProcessLookupError):
                pass  # it was quicker
        if whom != "packer":
            time.sleep(rng.uniform(0.001, 0.08))
            child.kill()
        child.communicate(timeout=120)
        counts.append(check_prefix(bench, out + ".chordtrace", whole, f"{whom} killed"))
        if whom == "packer" and counts[-1] != len(whole[1]):
            raise Failure(f"the packer was killed: {counts[-1]} of {len(whole[1])} calls are left")
    expect(any(0 < count < len(whole[1]) for count in counts), "nothing was killed while it recorded")
    return counts


def left_as_they_are(bench, whole, answer):
    """No packer, a wrong one, one that ends, nobody who may have children."""
    cases = [{"CHORD_TRACE_PACK": "/nowhere/chord"}, {"CHORD_TRACE_PACK": "/bin/true"}, {"CHORD_TRACE_PACK": "/bin/cat"}, {"CHORD_TRACE_PACK": "/etc/passwd"}]
    for case in cases:
        out = bench.fresh()
        expect(bench.run(out, ROUNDS, **case) == answer, f"{case}: behaves differently")
        expect(bench.calls(out + ".chordtrace") == whole and not is_packed(out + ".chordtrace"), f"{case}: another trace")
    writable = os.path.join(bench.folder, "chord")
    with open(writable, "w") as file:
        file.write(f"#!/bin/sh\ntouch {bench.folder}/started\n")
    os.chmod(writable, 0o777)
    bench.run(bench.fresh(), ROUNDS, CHORD_TRACE_PACK=writable)
    expect(not os.path.exists(os.path.join(bench.folder, "started")), "what anybody may change is started")
    out = bench.fresh()
    expect(bench.run(out, ROUNDS, "subreaper") == answer + "1\n", "who adopts orphans sees the packer")
    out = bench.fresh()
    first = ["unshare", "--pid", "--fork"]
    if subprocess.run([*first, "true"], capture_output=True).returncode == 0:
        expect(bench.run(out, ROUNDS, "look", wrap=first) == "0 signals, 0 children, 0 descriptors\n", "the first process sees the packer")


def on_a_small_disk(bench, whole):
    place = os.path.join(bench.folder, "disk")
    os.mkdir(place)
    if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place], capture_output=True).returncode != 0:
        return "not tried"
    try:
        counts = []
        for _ in range(3):
            bench.run(os.path.join(place, "run"), ROUNDS, CHORD_QUIET="1")
            counts.append(check_prefix(bench, os.path.join(place, "run.chordtrace"), whole, "full disk"))
        expect(min(counts) > 1000, f"a full disk leaves {counts} calls")
        return f"{counts} of {len(whole[1])} calls"
    finally:
        subprocess.run(["umount", place], check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chord, rng = os.path.realpath(options.chord), random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        checked([chord, "--verify", "--trace", "gcc", "-O2", os.path.join(HERE, "packing.c"), "-o", program, "-pthread"])
        bench = Bench(chord, program, folder)
        whole, answer, sizes = same_as_raw(bench)
        print(sizes)
        in_threads(bench, whole)
        in_the_child_of_a_fork(bench)
        over_an_exec(bench, whole, answer)
        at_once_and_in_a_row(bench, whole, answer)
        unseen(bench)
        print("killed:", killed(bench, whole, rng, options.kills))
        left_as_they_are(bench, whole, answer)
        print("full disk:", on_a_small_disk(bench, whole))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
