#!/usr/bin/env python3
"""Replayed traces against single-stepping, and against counts.

Each program is built plain and stepped through one instruction at a time (paths/trace.c), and built with `chord --trace` and
run. `chord trace --by=instruction` must name the same instructions in the same order, thread by thread. A build that counts
must have counted, for each function, as many instructions and calls as the replay has; and `chord report` of the trace must have the same
functions, lines, blocks, edges, loops, calls and instructions, with the same counts.

Each build takes one of the encodings by turns; TRACE_ENCODING=witness|bits|paths names one for all.

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import array
import bisect
import collections
import csv
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))
sys.path.insert(0, os.path.join(HERE, "../paths"))

import encodings_of_traces  # noqa: E402
import variants  # noqa: E402
from run import rows_of, symbols  # noqa: E402
from variants import Failure, checked, environment, run  # noqa: E402

LEVELS = ("-O0", "-O2")


def without_repeats(steps):
    """String instructions with a prefix are stepped through once for each round; a trace has them once."""
    return [step for at, step in enumerate(steps) if at == 0 or step != steps[at - 1]]


def stepped(plain, functions, folder):
    """By thread: (function, offset) of each instruction; and functions in which some instruction faulted."""
    places = symbols(plain)
    parts = sorted((begin, begin + size, name) for name, (begin, size) in places.items() if name.split(".cold")[0] in functions)
    starts = [begin for begin, _, _ in parts]
    table, trace, tracer = (os.path.join(folder, n) for n in ("ranges", "trace.bin", "trace"))
    with open(table, "w") as file:
        file.writelines(f"{begin:x} {end:x} 1\n" for begin, end, _ in parts)
    checked(["gcc", "-O2", os.path.join(HERE, "../paths/trace.c"), "-o", tracer])
    run([tracer, f"{places['_start'][0]:x}", table, trace, plain], cwd=folder, env={**os.environ, "TRACE_FAULTS": "1"})
    words = array.array("Q")
    with open(trace, "rb") as file:
        words.frombytes(file.read())
    threads, inside, faulted = collections.defaultdict(list), {}, set()
    for at in range(0, len(words), 3):
        thread, pc = words[at], words[at + 1]
        if pc == 0:  # the last one faulted
            if inside[thread]:
                faulted.add(threads[thread].pop()[0].split(".cold")[0])
            continue
        part = bisect.bisect(starts, pc) - 1
        inside[thread] = part >= 0 and pc < parts[part][1]
        if inside[thread]:
            threads[thread].append((parts[part][2], pc - parts[part][0]))
    return threads, faulted


def replayed(chord, trace, folder):
    """The same, and for each function: instructions and calls."""
    threads, executed, calls = collections.defaultdict(list), collections.Counter(), collections.Counter()
    result = checked([chord, "trace", trace, "--by=instruction", "--csv"], cwd=folder)
    numbers = collections.Counter()
    for row in csv.DictReader(result.stdout.splitlines()):
        thread = int(row["thread"])
        if int(row["number"]) != numbers[thread]:
            raise Failure(f"thread {thread}: number {row['number']} follows after {numbers[thread]} instructions")
        numbers[thread] += 1
        threads[thread].append((row["function"], int(row["offset"])))
        executed[row["function"].split(".cold")[0]] += 1
    for row in csv.DictReader(checked([chord, "trace", trace, "--by=call", "--csv"], cwd=folder).stdout.splitlines()):
        calls[row["function"]] += 1
    return threads, executed, calls


def first_difference(expected, got):
    for at, (one, other) in enumerate(zip(expected, got)):
        if one != other:
            return f"instruction {at}: stepped {one}, replayed {other}; before {expected[max(0, at - 4):at]}"
    return f"stepped {len(expected)} instructions, replayed {len(got)}; next {expected[len(got):len(got) + 3]}{got[len(expected):len(expected) + 3]}"


def compare(expected, got):
    """Threads may have other numbers."""
    if not any(expected.values()):
        raise Failure("nothing was stepped through")
    left = [without_repeats(steps) for _, steps in sorted(got.items())]
    for _, steps in sorted(expected.items()):
        wanted = without_repeats(steps)
        if not wanted:
            continue
        if wanted in left:
            left.remove(wanted)
            continue
        closest = max(left, default=[], key=lambda other: next((i for i, (a, b) in enumerate(zip(wanted, other)) if a != b), min(len(wanted), len(other))))
        raise Failure("a thread differs: " + first_difference(wanted, closest))
    if left:
        raise Failure(f"{len(left)} threads too many")
    return sum(map(len, expected.values()))


def check_counts(rows, executed, calls, traced):
    wrong = {row["function"]: (row["executed"], executed[row["function"]], row["calls"], calls[row["function"]]) for row in rows
             if row["function"] in traced and row["copies"] == 1 and row["executed"] is not None
             and (row["executed"] != executed[row["function"]] or row["calls"] != calls[row["function"]])}
    if wrong:
        raise Failure(f"counted and replayed (instructions, calls): {wrong}")


LISTINGS = ("function", "line", "block", "edge", "loop", "call", "instruction", "opcode")


def check_listings(folder, chord, apart):
    """Row by row. `apart`: functions without a trace, or in which something faulted; lines and sums hold theirs, too."""
    for by in LISTINGS if not apart else ("function", "block", "edge", "instruction"):
        sides = []
        for profile in ("woven.chordtrace", "counted.chord"):
            rows = rows_of(folder, chord, "report", os.path.join(folder, profile), f"--by={by}")
            for row in rows:
                row.pop("module", None)
                row.pop("share", None)
            sides.append([row for row in rows if row.get("function", "").split(".cold")[0] not in apart])
        # Functions are listed by their instructions, which may be the same.
        key = lambda row: json.dumps(row, sort_keys=True)  # noqa: E731
        traced, counted = (sorted(side, key=key) for side in sides)
        if traced != counted:
            one = next((pair for pair in zip(traced, counted) if pair[0] != pair[1]), (len(traced), len(counted)))
            raise Failure(f"--by={by}: the trace has {one[0]}, a build that counts {one[1]}")


def is_left_to_others(source, compiler, level):
    """Stepping through the unwinder takes long: of C++ programs each compiler has one level, unless one is asked for."""
    asked = any(word.startswith(("--compiler", "--level")) for word in sys.argv)
    return source.endswith(".cc") and not asked and (compiler, level) in (("g++", "-O0"), ("clang++", "-O2"))


def wishes_of(source, name):
    """Words after `NAME:` in the program's comments."""
    with open(source) as file:
        return [word for group in re.findall(rf"{name}: ([^(\n]*)", file.read()) for word in group.split()]


def check(chord, source, compiler, level, _variant, folder):
    compilers = wishes_of(source, "suite-compilers")
    if is_left_to_others(source, compiler, level) or (compilers and compiler not in compilers):
        return None
    woven, plain, counted = (os.path.join(folder, n) for n in ("woven", "plain", "counted"))
    build = [compiler, level, *variants.flags_of(source), "-no-pie", source]
    same_assembler = ["-fno-integrated-as"] if compiler.startswith("clang") else []
    whole = ["-static-libgcc", "-static-libstdc++"] if source.endswith(".cc") else ["-static"]
    checked([*build, *same_assembler, *whole, "-o", plain])
    option = encodings_of_traces.option(os.path.basename(source), compiler, level)
    checked([chord, "--verify", option, *build, "-o", woven])
    checked([chord, *build, "-o", counted])
    first, second, third = (run([program], cwd=folder, env=environment()) for program in (plain, woven, counted))
    if len({(r.returncode, r.stdout) for r in (first, second, third)}) != 1:
        raise Failure(f"behaves differently: {first.returncode} {second.returncode}\n{first.stdout}{second.stdout}{second.stderr}")
    rows = rows_of(folder, chord, "report", os.path.join(folder, "counted.chord"), "--by=function")
    functions = {row["function"] for row in rows}
    left_alone = left_alone_in(chord, woven, folder)
    got, executed, calls = replayed(chord, os.path.join(folder, "woven.chordtrace"), folder)
    if "stepping" in wishes_of(source, "trace-except"):
        expected, faulted = got, set()
    else:
        expected, faulted = stepped(plain, functions - left_alone, folder)
    steps = compare(expected, got)
    # An instruction that a handler passed over is counted with its block.
    check_counts(rows, executed, calls, functions - left_alone - faulted)
    check_listings(folder, chord, left_alone | faulted)
    return f"{option}: {steps} instructions of {len(got)} threads" + (f", without {sorted(left_alone)}" if left_alone else "")


def left_alone_in(chord, woven, folder):
    """Functions of which there is no trace, as the tool says."""
    return {row["function"] for row in json.loads(run([chord, "doctor", woven, "--json"], cwd=folder).stdout)["skipped"]}


if __name__ == "__main__":
    variants.main(LEVELS, check)
