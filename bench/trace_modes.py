#!/usr/bin/env python3
"""What recording costs: a trace, with times, with addresses, into a ring; and what each takes on the disk.

A program is built plain and in each way, and run by turns; the CPU time of both is compared pair by pair (that of the process which packs the trace is not in it), and the median of the
ratios is printed, with the control (the plain program against itself).

usage: trace_modes.py CHORD [--runs=N] [--source=FILE] [-- ARGUMENTS OF THE PROGRAM]
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = {
    "control": (None, {}),
    "trace": (["--trace"], {}),
    "trace, not packed": (["--trace"], {"CHORD_TRACE_PACK": "off"}),
    "time": (["--trace=time"], {}),
    "addresses": (["--trace=addresses"], {}),
    "ring": (["--trace"], {"CHORD_RING": "64M"}),
}


def cpu_time(program, arguments, settings):
    """Of the process alone."""
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("CHORD")}, **settings}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *arguments], env=env, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    words = sys.argv[1:]
    arguments = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--source", default=os.path.join(HERE, "tight_loops.c"))
    options = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain")
        subprocess.run(["gcc", "-O2", options.source, "-o", plain, "-lm", "-pthread"], check=True)
        for name, (chord_options, settings) in WAYS.items():
            woven = os.path.join(folder, "woven")
            if chord_options is not None:
                subprocess.run([os.path.realpath(options.chord), *chord_options, "gcc", "-O2", options.source, "-o", woven, "-lm", "-pthread"], check=True)
            ratios, size = [], 0
            for _ in range(options.runs):
                one = cpu_time(plain, arguments, {})
                ratios.append(cpu_time(woven if chord_options is not None else plain, arguments, settings) / one)
                size = wait_for(os.path.join(folder, "woven.chordtrace"))
            print(f"{name:20} {statistics.median(ratios):6.2f} x   {size / 1e6:8.1f} MB", flush=True)


def wait_for(trace):
    """Its size, once it is packed; it is removed."""
    while os.path.exists(trace + ".packing"):
        time.sleep(0.05)
    if not os.path.exists(trace):
        return 0
    size = os.path.getsize(trace)
    os.unlink(trace)
    return size


if __name__ == "__main__":
    main()
