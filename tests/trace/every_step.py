#!/usr/bin/env python3
"""A trace is exact whichever instruction is interrupted.

A program is recorded, and recorded again while a signal interrupts it before each instruction that woven code executes in a function and
those that it calls, original or inserted, or in one of the runtime's routines. The handler is traced, too. Without what the handler did, both
replay to the same instructions; and there are as many calls of the handler as signals.

usage: every_step.py CHORD [--compiler=gcc|clang] [--level=-O2] [--every=N]
"""
import argparse
import csv
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
import encodings_of_traces  # noqa: E402
from variants import Failure, checked, environment  # noqa: E402

PROGRAM = os.path.join(HERE, "every_step_program.c")
VARIANTS = [("gcc", "-O2"), ("clang", "-O2"), ("gcc", "-O0"), ("gcc", "-O3")]


def steps_of(chord, trace):
    """(function, offset) of each instruction, without those of handlers and what they call; and how many handlers there were."""
    steps, handlers, inside = [], 0, None
    for row in csv.DictReader(checked([chord, "trace", trace, "--by=instruction", "--csv"]).stdout.splitlines()):
        depth = int(row["depth"])
        if row["function"] == "on_signal":
            handlers += row["offset"] == "0"
            inside = depth
        elif inside is not None and depth <= inside:
            inside = None
        if inside is None:
            steps.append((row["function"], int(row["offset"])))
    return steps, handlers


def symbols_of(program):
    return {words[2]: words[0] for words in (line.split() for line in checked(["nm", program]).stdout.splitlines()) if len(words) == 3}


def check(chord, compiler, level, every, folder):
    woven, stepper = os.path.join(folder, "woven"), os.path.join(folder, "stepper")
    checked(["gcc", "-O2", os.path.join(HERE, "every_step.c"), "-o", stepper])
    option = encodings_of_traces.option("every step", compiler, level)
    checked([chord, "--verify", option, compiler, level, "-g", "-no-pie", "-fno-inline", PROGRAM, "-o", woven])
    alone, often = (os.path.join(folder, name) for name in ("alone", "often"))
    answer = checked([woven], env=environment(CHORD_OUT=alone + ".chord")).stdout
    names = symbols_of(woven)
    place = [names[n] for n in ("watched", "_init", "_fini")]
    out = checked([stepper, *place, str(every), woven], env=environment(CHORD_OUT=often + ".chord")).stdout.splitlines()
    if answer.split() != out[-1].split() and answer.split() != out[0].split():
        raise Failure(f"interrupted, it behaves differently: {answer} {out}")
    sent = next(int(line) for line in out if len(line.split()) == 1)
    expected, none = steps_of(chord, alone + ".chordtrace")
    got, handlers = steps_of(chord, often + ".chordtrace")
    if none != 0 or handlers != sent or sent < 100:
        raise Failure(f"{sent} signals, {handlers} handlers")
    if got != expected:
        at = next((i for i, pair in enumerate(zip(expected, got)) if pair[0] != pair[1]), min(len(expected), len(got)))
        raise Failure(f"instruction {at}: {expected[at - 2:at + 3]} is {got[at - 2:at + 3]} when interrupted; {len(expected)} and {len(got)} instructions")
    return f"{option}: {sent} signals among {len(got)} instructions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chord")
    parser.add_argument("--compiler")
    parser.add_argument("--level")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    options.chord = os.path.abspath(options.chord)
    asked = [(options.compiler or "gcc", options.level or "-O2")] if options.compiler or options.level else VARIANTS
    for compiler, level in asked:
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"{compiler} {level}: {check(options.chord, compiler, level, options.every, folder)}", flush=True)
            except Failure as failure:
                sys.exit(f"{compiler} {level}: {failure}")


if __name__ == "__main__":
    main()
