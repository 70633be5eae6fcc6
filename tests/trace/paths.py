#!/usr/bin/env python3
"""Paths made from a trace against those that a build with --paths has counted: row by row.

Rows are those of functions that both have, and whose paths both number alike (`shape`): a build that counts cuts paths shorter where there are too many for its
counters. At least one function must be compared.

usage: paths.py CHORD SOURCE... [--compiler=gcc] [--level=-O2] [--arguments=WORD]...
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from ring import Failure, checked, environment  # noqa: E402


def listing(chord, profile, by):
    return json.loads(checked([chord, "paths", profile, f"--by={by}", "--json"]).stdout)["rows"]


def shapes(chord, profile):
    rows = listing(chord, profile, "function")
    return {row["function"]: row["shape"] for row in rows if row["shape"] and sum(other["function"] == row["function"] for other in rows) == 1}


def paths(chord, profile, functions):
    keys = ("function", "path", "count", "instructions", "start", "end", "blocks", "lines")
    return sorted(json.dumps([row[key] for key in keys]) for row in listing(chord, profile, "path") if row["function"] in functions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--level", default="-O2")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--argument", action="append", default=[])
    options = parser.parse_args()
    chord = os.path.realpath(options.chord)
    for group in [[source] for source in options.sources]:
        with tempfile.TemporaryDirectory() as folder:
            outputs = []
            for name, mode in (("traced", "--trace"), ("counted", "--paths")):
                program = os.path.join(folder, name)
                compiler = options.compiler if not group[0].endswith(".cc") else {"gcc": "g++", "clang": "clang++"}[options.compiler]
                checked([chord, mode, compiler, options.level, *options.flag, *group, "-o", program, "-pthread", "-lm"])
                ran = subprocess.run([program, *options.argument], capture_output=True, cwd=folder, env=environment(CHORD_OUT=program + ".chord"), timeout=100)
                outputs.append((ran.returncode, ran.stdout))
            if outputs[0] != outputs[1]:
                raise Failure(f"{group}: they behave differently: {outputs}")
            trace, profile = os.path.join(folder, "traced.chordtrace"), os.path.join(folder, "counted.chord")
            one, other = shapes(chord, trace), shapes(chord, profile)
            functions = {name for name in one if other.get(name) == one[name]}
            if not functions:
                raise Failure(f"{group}: no function has the same paths")
            left, right = paths(chord, trace, functions), paths(chord, profile, functions)
            if left != right:
                first = next((pair for pair in zip(left, right) if pair[0] != pair[1]), (len(left), len(right)))
                raise Failure(f"{group}: from the trace {first[0]}\ncounted {first[1]}")
            print(f"{os.path.basename(group[0])}: {len(left)} paths of {len(functions)} functions, {len(other) - len(functions)} numbered otherwise")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
