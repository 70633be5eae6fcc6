#!/usr/bin/env python3
"""However a recording ends, at whatever moment, what is there replays and is a part of what the whole run did.

A program whose walk never repeats is recorded as a whole. Then it is ended over and over at random moments: killed, faulted, asked to end,
at a limit of the trace's size or of any file's, on a full disk (as root); in a ring and not; dumped before, and not. The calls that
replay must be the first ones of the run, or, in a ring, some in a row, with the same depths and the same distances in instructions; `chord trace`
must not find a contradiction. Several at a time with --jobs. Without a seed given, more than the usual number of times begin with a fresh one, which is printed.

usage: endings.py CHORD [--times=N] [--seed=N] [--jobs=N] [--options=--trace=addresses]
"""
import argparse
import collections
import concurrent.futures
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import encodings_of_traces  # noqa: E402
import ring  # noqa: E402
from ring import Failure, calls_of, check_part, checked, environment, run_to_end, shape  # noqa: E402

SIGNALS = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGBUS)
ROUNDS = "200"
USUAL_TIMES = 40


class Case:
    """One way to end."""

    def __init__(self, rng, small_disk):
        self.ring = rng.random() < 0.4
        self.delay = rng.uniform(0.001, 0.012)
        self.dumps = rng.random() < 0.1
        self.kind = rng.choice(["signal", "signal", "signal", "limit", "file size"] + (["disk"] if small_disk else []))
        self.signal = rng.choice(SIGNALS)
        self.size = rng.randrange(20, 400) * 1024
        self.small_disk = small_disk

    def __str__(self):
        return f"{self.kind} {self.signal.name if self.kind == 'signal' else self.size}{', ring' if self.ring else ''}{', dumped' if self.dumps else ''}"

    def settings(self):
        out = {"CHORD_QUIET": "1"}
        if self.ring:
            out["CHORD_RING"] = str(ring.RING)
        if self.kind == "limit":
            out["CHORD_TRACE_LIMIT"] = str(self.size)
        return out

    def limit_files(self):
        if self.kind == "file size":
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.size, self.size))

    def run(self, chord, program, out):
        """Ends the program, or lets it end."""
        child = subprocess.Popen([program, ROUNDS], stdout=subprocess.DEVNULL, env=environment(CHORD_OUT=out + ".chord", **self.settings()), preexec_fn=self.limit_files)
        if self.dumps:
            time.sleep(self.delay / 2)
            subprocess.run([chord, "dump", "--timeout=1", str(child.pid)], capture_output=True)
        if self.kind == "signal":
            time.sleep(self.delay)
            child.send_signal(self.signal)
        status = child.wait(60)
        if self.kind != "signal" and status != 0:
            raise Failure(f"{self}: the program ended with {status}")


def has_words(trace):
    """Of a program that was killed before the first it may have nothing but the room for them."""
    with open(trace, "rb") as file:
        return any(file.read(8))


def check(chord, program, folder, whole, case):
    out = os.path.join(case.small_disk if case.kind == "disk" else folder, "ended")
    trace = out + ".chordtrace"
    case.run(chord, program, out)
    got = 0
    if os.path.exists(trace) and os.path.getsize(trace) != 0 and has_words(trace):
        part = calls_of(chord, trace).get(1, [])
        got = len(part)
        if part:
            check_part(whole, part, shape(whole).find(shape(part)) if case.ring else 0, str(case))
    for name in os.listdir(os.path.dirname(out)):
        if name.startswith("ended"):
            os.unlink(os.path.join(os.path.dirname(out), name))
    return got


def small_disk(folder):
    """A file system of half a megabyte, if one can be had."""
    place = os.path.join(folder, "disk")
    os.mkdir(place)
    if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True).returncode != 0:
        return None
    return place


def end_many(chord, program, folder, whole, seed, times):
    """In a folder of its own. By kind: how often, and how often there was a trace."""
    rng = random.Random(seed)
    os.mkdir(folder)
    disk = small_disk(folder)
    seen, replayed = collections.Counter(), collections.Counter()
    try:
        for _ in range(times):
            case = Case(rng, disk)
            try:
                got = check(chord, program, folder, whole, case)
            except Failure as failure:
                raise Failure(f"seed {seed}, after {sum(seen.values())} endings, {case}: {failure}") from None
            seen[case.kind] += 1
            replayed[case.kind] += got > 0
    finally:
        if disk is not None:
            subprocess.run(["umount", disk], check=False)
    return seen, replayed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("--times", type=int, default=USUAL_TIMES)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--options", default=encodings_of_traces.option("endings"))
    options = parser.parse_args()
    chord = os.path.realpath(options.chord)
    seed = options.seed if options.seed is not None else 1 if options.times <= USUAL_TIMES else random.SystemRandom().randrange(1 << 32)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        checked([chord, "--verify", *options.options.split(), "gcc", "-O2", os.path.join(HERE, "ring.c"), "-o", program, "-pthread"])
        run_to_end(program, os.path.join(folder, "whole"), ROUNDS)
        whole = calls_of(chord, os.path.join(folder, "whole.chordtrace"))[1]
        seen, replayed = collections.Counter(), collections.Counter()
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            parts = [pool.submit(end_many, chord, program, os.path.join(folder, f"job{n}"), whole, seed + n, len(range(n, options.times, options.jobs))) for n in range(options.jobs)]
            for part in parts:
                more_seen, more_replayed = part.result()
                seen += more_seen
                replayed.update(more_replayed)
        if not all(replayed[kind] for kind in seen):
            raise Failure(f"some endings left nothing: {dict(replayed)}")
        print(f"seed {seed}: " + "; ".join(f"{kind}: {count} times, {replayed[kind]} with a trace" for kind, count in sorted(seen.items())))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
