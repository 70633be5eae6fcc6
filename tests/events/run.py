#!/usr/bin/env python3
"""Event queries against single-stepping.

Each program of tests/events/programs is built plain and stepped through one instruction
at a time (step.c), counting the instructions of its own text at each query; and built
with `chord --events`, where it counts itself. The sequences must be equal, thread by
thread, and so must be the totals when it ends.

usage: run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = {".c": ("gcc", "clang"), ".cc": ("g++", "clang++")}
LEVELS = ("-O0", "-O1", "-O2", "-O3")
STUB = "unsigned long __chord_api_events(int kind) { return kind; }\n"


class Failure(Exception):
    pass


def run(command, check=True, **options):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=280, **options)
    if check and result.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result


def symbols(path):
    """Functions of an object: name -> list of (address, size)."""
    out = {}
    for line in run(["nm", "-S", path]).stdout.splitlines():
        match = re.match(r"([0-9a-f]+) ([0-9a-f]+) [tTwWuiV] (\S+)", line)
        if match:
            out.setdefault(match.group(3), []).append((int(match.group(1), 16), int(match.group(2), 16)))
    return out


def truth(compiler, level, flags, source, folder):
    """Builds the plain program and steps through it: (queries by thread, total)."""
    plain, unit, stub = (os.path.join(folder, name) for name in ("plain", "plain.o", "stub.o"))
    subprocess.run(["gcc", "-O2", "-c", "-xc", "-", "-o", stub], input=STUB, text=True, check=True)
    run([compiler, level, *flags, "-c", source, "-o", unit])
    run([compiler, level, *flags, "-no-pie", "-Wl,-z,now", unit, stub, "-o", plain])
    places = symbols(plain)
    ranges = set()
    for name in symbols(unit):
        for address, size in places.get(name, []):
            ranges.add((address, address + size))
    table = os.path.join(folder, "ranges")
    with open(table, "w") as file:
        file.writelines(f"{begin:x} {end:x}\n" for begin, end in sorted(ranges))
    step = os.path.join(folder, "step")
    if not os.path.exists(step):
        run(["gcc", "-O2", os.path.join(HERE, "step.c"), "-o", step])
    start, query = (places[name][0][0] for name in ("_start", "__chord_api_events"))
    # The program itself asks on stderr, too, with answers that mean nothing.
    text = run([step, f"{start:x}", f"{query:x}", table, plain], check=False, cwd=folder).stderr
    lines = text.splitlines()
    stepped = [line for line in lines if line.startswith("query")]
    # Of each query there are two lines, the stepper's first.
    queries, seen = {}, {}
    for line in stepped:
        _, thread, count = line.split()
        if int(count) == 0 and seen.get(thread, 0) > 0:
            seen[thread] -= 1
            continue
        queries.setdefault(int(thread), []).append(int(count))
        seen[thread] = seen.get(thread, 0) + 1
    total = sum(int(line.split()[2]) for line in lines if line.startswith("end"))
    return queries, total


def woven(chord, compiler, level, flags, source, folder, options):
    target = os.path.join(folder, "woven")
    run([chord, "--verify", "--events=instructions", *options, compiler, level, *flags, source, "-o", target])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CHORD")}
    profile = os.path.join(folder, "woven.chord")
    if os.path.exists(profile):
        os.unlink(profile)
    text = run([target], check=False, cwd=folder, env=environment).stderr
    queries = {}
    for line in text.splitlines():
        _, thread, count = line.split()
        queries.setdefault(int(thread), []).append(int(count))
    return queries, profile


def check(chord, compiler, level, source, folder):
    flags = ["-I" + os.path.join(HERE, "../../runtime/include")]
    flags += re.findall(r"flags: (.*?) *\*/", open(source).read())
    expected, total = truth(compiler, level, flags, source, folder)
    if not expected:
        raise Failure("the stepped program made no query")
    # With block counters beside them, the totals must agree with those, too.
    for options in ([], ["--place=optimal"]):
        got, profile = woven(chord, compiler, level, flags, source, folder, options)
        if got != expected:
            raise Failure(f"{options}: queries\n  stepped {expected}\n  woven   {got}")
        events = json.loads(run([chord, "events", profile, "--json"]).stdout)["rows"]
        if events != [{"kind": "instructions", "events": total}]:
            raise Failure(f"{options}: total {events}, stepped {total}")
    report = json.loads(run([chord, "report", profile, "--json"]).stdout)
    if report["instructions"] != total:
        raise Failure(f"the block counters say {report['instructions']}, stepped {total}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("program")
    parser.add_argument("--compiler")
    parser.add_argument("--level")
    options = parser.parse_args()
    chord, source = os.path.realpath(options.chord), os.path.realpath(options.program)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler in COMPILERS[os.path.splitext(source)[1]]:
            for level in LEVELS:
                if options.compiler not in (None, compiler) or options.level not in (None, level):
                    continue
                try:
                    check(chord, compiler, level, source, folder)
                except Failure as failure:
                    failures += 1
                    print(f"{os.path.basename(source)} {compiler} {level}: {failure}")
                    print(f"again: {sys.argv[0]} {chord} {source} --compiler={compiler} --level={level}")
    sys.exit(1 if failures else 0)


main()
