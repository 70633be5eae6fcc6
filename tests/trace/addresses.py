#!/usr/bin/env python3
"""Addresses of loads and stores in traces, against lackey.

The woven program runs under lackey, which prints every access to memory, and records in the same run: so both see the same addresses. Of lackey's
stream the accesses of the program's own instructions are kept (../models/run.py), and must be those of `chord trace --addresses`: the same
instructions, kinds, sizes and addresses in the same order. Prints how many bytes were written for an access, and how many would be if all were.

Control flow is in one of the encodings (encodings_of_traces.py).

usage: addresses.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import csv
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
sys.path.insert(0, os.path.join(HERE, "../models"))

import encodings_of_traces  # noqa: E402
import variants  # noqa: E402
from run import woven_places  # noqa: E402
from variants import Failure, checked, environment, flags_of, run  # noqa: E402

LEVELS = ("-O0", "-O2", "-O3")
VARIANTS = {"-O0": ["-no-pie"], "-O2": ["-fPIC", "-pie", "-ftls-model=initial-exec"], "-O3": ["-static"]}  # others by hand: --kind=-static
VALGRIND_BIAS = 0x108000
UNALIGNED = ["-falign-functions=16", "-falign-loops=1", "-falign-jumps=1", "-falign-labels=1"]  # woven code has paddings of its own


def stepped(trace, places, bias, repeated):
    """(place, accesses) of each original instruction that made any."""
    steps, place, made = [], None, []

    def finish():
        if place is None or not made:
            return
        if steps and steps[-1][0] == place and place in repeated and again:
            steps[-1][1].extend(made)
        else:
            steps.append((place, list(made)))

    again = False
    with open(trace) as file:
        for line in file:
            kind = line[:2]
            if kind == "I ":
                finish()
                now = places.get(int(line[3:].split(",")[0], 16) - bias)
                again = now is not None and now == place
                place, made = now, []
            elif place is not None and kind in (" L", " S", " M"):
                address, size = line[3:].split(",")
                for one in {" L": "L", " S": "S", " M": "LS"}[kind]:
                    made.append((one, int(address, 16), int(size)))
    finish()
    return steps


def replayed(chord, program, trace, repeated):
    steps, last, unknown = [], None, 0
    for row in csv.DictReader(checked([chord, "trace", trace, f"--program={program}", "--addresses", "--csv"]).stdout.splitlines()):
        place = row["function"], int(row["offset"])
        if not row["address"] or not row["times"]:
            unknown += 1
            continue
        if row["times"] == "0":
            continue
        if row["number"] != last:
            steps.append((place, []))
        last = row["number"]
        size, first = int(row["size"]), int(row["address"], 16)
        for n in range(int(row["times"])):
            for one in {"load": "L", "store": "S", "modify": "LS"}[row["kind"]]:
                steps[-1][1].append((one, first + n * size, size))
    return steps, unknown


def compare(expected, got):
    for at, (one, other) in enumerate(zip(expected, got)):
        if one[0] != other[0] or set(one[1]) != set(other[1]):  # lackey sees a locked instruction load twice
            show = lambda s: f"{s[0][0]}+{s[0][1]:#x} {[(k, hex(a), n) for k, a, n in s[1][:6]]}"  # noqa: E731
            raise Failure(f"access {at}: lackey {show(one)}, replayed {show(other)}; before {[show(s) for s in got[max(0, at - 3):at]]}")
    if len(expected) != len(got):
        raise Failure(f"lackey has {len(expected)} instructions with accesses, replayed {len(got)}")


def words_written(trace):
    """Addresses in the file: of chunks that hold them."""
    with open(trace, "rb") as file:
        bytes_ = file.read()
    words = at = 0
    while at + 504 <= len(bytes_):
        size = int.from_bytes(bytes_[at + 12:at + 16], "little")
        if int.from_bytes(bytes_[at + 54:at + 56], "little") == 1:
            used = [n for n in range(at + 504, at + size, 8) if any(bytes_[n:n + 8])]
            words += len(used) - 2
        at += size or 4096
    return words


def check(chord, source, compiler, level, variant, folder):
    program, log, trace = (os.path.join(folder, name) for name in ("program", "log", "program.chordtrace"))
    command = [compiler, level, *variant, "-g", "-Wa,-L", *UNALIGNED, *flags_of(source), source, "-o", program]
    encoding = encodings_of_traces.option("addresses", os.path.basename(source), compiler, level)
    checked([chord, "--verify", "--trace=addresses" if encoding == "--trace" else f"{encoding},addresses", *command])
    quiet = environment(CHORD_OUT=os.path.join(folder, "program.chord"), CHORD_TRACE_PACK="off")
    result = run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={log}", program], env=quiet)
    rows = json.loads(checked([chord, "report", "--by=instruction", "--json", f"--program={program}", trace]).stdout)["rows"]
    repeated = {(r["function"], r["offset"]) for r in rows if re.match(r"rep", r["text"])}
    expected = stepped(log, woven_places(program, rows), VALGRIND_BIAS if "-pie" in variant else 0, repeated)
    got, unknown = replayed(chord, program, trace, repeated)
    if unknown:
        raise Failure(f"{unknown} addresses are not known")
    if not expected:
        raise Failure(f"no access of the program is in lackey's log ({result.stderr[-300:]})")
    compare(expected, got)
    skipped = json.loads(run([chord, "doctor", program, "--json"]).stdout)["skipped"]
    made, words = sum(len(s[1]) for s in got), words_written(trace)
    return f"{made} accesses, {8 * words / made:.2f} bytes each" + (f", without {sorted(r['function'] for r in skipped)}" if skipped else "")


if __name__ == "__main__":
    kinds = [word.removeprefix("--kind=").split(",") for word in sys.argv if word.startswith("--kind=")]
    sys.argv = [word for word in sys.argv if not word.startswith("--kind=")]
    variants.main(LEVELS, lambda chord, source, compiler, level, variant, folder: check(chord, source, compiler, level, variant or VARIANTS[level], folder), lambda source: kinds or [[]])
