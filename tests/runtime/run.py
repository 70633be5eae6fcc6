#!/usr/bin/env python3
"""Builds a program of tests/runtime/programs with chord and checks what it counted.

What must come out is written at the top of the program, in its first comment:

    calls: work=310 after=0     how often functions were called, by arithmetic
    status: 3                   exit status; or `signal 11`. Default 0
    flags: -pthread             for compiling and linking
    link: -static               a further variant with these flags (repeatable)
    arguments: a b              for the program
    segments: 2                 segments in the profile, or `any`; default 1
    notes: text                 the profile may carry a note with this text

The program is built with gcc and clang at -O0 and -O2. It must print what the plain
build prints and end the same way; the report must have no warnings (a contradiction
in the counts is one) and exactly the calls given.

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../oracle"))

import variants  # noqa: E402
from variants import Failure, run  # noqa: E402

LEVELS = ("-O0", "-O2")


def read_expectations(path):
    text = open(path).read()
    comment = re.match(r"/\*(.*?)\*/", text, re.S).group(1)
    wanted = {"calls": {}, "status": "0", "flags": [], "link": [[]], "arguments": [], "segments": 1, "notes": []}
    for line in comment.splitlines():
        match = re.match(r"\s*\*?\s*(calls|status|flags|link|arguments|segments|notes):\s*(.*)", line)
        if not match:
            continue
        key, value = match.group(1), match.group(2).strip()
        if key == "calls":
            wanted["calls"].update((k, int(v)) for k, v in (pair.split("=") for pair in value.split()))
        elif key == "link":
            wanted["link"].append(value.split())
        elif key in ("flags", "arguments"):
            wanted[key] = value.split()
        elif key == "segments":
            wanted[key] = None if value == "any" else int(value)
        elif key == "notes":
            wanted[key].append(value)
        else:
            wanted[key] = value
    return wanted


def build(prefix, compiler, level, flags, source, target):
    run(prefix + [compiler, level, variants.INCLUDE, source, "-o", target] + flags, check=True)


def end_of(result):
    return f"signal {-result.returncode}" if result.returncode < 0 else str(result.returncode)


def check(chord, source, compiler, level, link, folder):
    wanted = read_expectations(source)
    flags = wanted["flags"] + link
    plain, woven = os.path.join(folder, "plain"), os.path.join(folder, "woven")
    build([], compiler, level, flags, source, plain)
    build([chord, "--verify"], compiler, level, flags, source, woven)
    environment = variants.environment() | {"CHORD_KEEP_RUNS": "1"}
    profile = variants.fresh(os.path.join(folder, "woven.chord"))
    expected = run([plain] + wanted["arguments"], cwd=folder, env=environment)
    got = run([woven] + wanted["arguments"], cwd=folder, env=environment)
    if (expected.stdout, expected.stderr) != (got.stdout, got.stderr):
        raise Failure(f"prints {got.stdout!r} {got.stderr!r}, the plain program {expected.stdout!r} {expected.stderr!r}")
    for what, result in (("the plain program", expected), ("the woven program", got)):
        if end_of(result) != wanted["status"]:
            raise Failure(f"{what} ends with {end_of(result)}, not {wanted['status']}")
    check_report(chord, profile, wanted)
    if wanted["segments"] == 1:
        return
    # Processes of one program add their counts up where they may.
    variants.fresh(profile)
    run([woven] + wanted["arguments"], cwd=folder, env=variants.environment())
    check_report(chord, profile, wanted | {"segments": None})


def check_report(chord, profile, wanted):
    report = run([chord, "report", profile, "--by=function", "--json"])
    warnings = [line for line in report.stderr.splitlines() if not any(note in line for note in wanted["notes"])]
    if report.returncode != 0 or warnings:
        raise Failure(f"chord report: {report.stderr}")
    for note in wanted["notes"]:
        if note not in report.stderr:
            raise Failure(f"no note '{note}': {report.stderr}")
    rows = {}
    for row in json.loads(report.stdout)["rows"]:
        rows[row["function"]] = rows[row["demangled"].split("(")[0] if row.get("demangled") else row["function"]] = row["calls"]
    for function, calls in wanted["calls"].items():
        if rows.get(function, 0) != calls:
            raise Failure(f"{function} was called {rows.get(function, 0)} times, not {calls}")
    magic = (0x0A81D17C68632AFE).to_bytes(8, "little")
    segments = open(profile, "rb").read().count(magic)
    if wanted["segments"] not in (None, segments):
        raise Failure(f"{segments} segments, not {wanted['segments']}")


variants.main(LEVELS, check, lambda source: read_expectations(source)["link"])
