"""One small program in all its variants: what the runners of tests/runtime, tests/events,
tests/paths and tests/interrupted have in common.

Each runner is called as `run.py CHORD PROGRAM [--compiler=gcc|clang] [--level=-O2]`, checks
every compiler and level that is not excluded, and prints how to repeat what failed.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = "-I" + os.path.join(ROOT, "runtime", "include")
COMPILERS = {".c": ("gcc", "clang"), ".cc": ("g++", "clang++")}


class Failure(Exception):
    pass


def run(command, check=False, **options):
    """With `check`, a status other than 0 is a failure."""
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", **({"timeout": 280} | options))
    if check and result.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result


def checked(command, **options):
    return run(command, check=True, **options)


def environment(**settings):
    """Ours, without settings of chord but those given."""
    return {**{k: v for k, v in os.environ.items() if not k.startswith("CHORD")}, **settings}


def flags_of(source):
    """Those that a program of tests/suite asks for in its comments."""
    with open(source) as file:
        groups = re.findall(r"(?:suite-)?(?:flags|link): (.*?) *(?:\*/|$)", file.read(), re.M)
    return [word for group in groups for word in group.split()]


def fresh(path):
    """The path, with nothing there."""
    if os.path.exists(path):
        os.unlink(path)
    return path


def main(levels, check, variants=lambda source: [[]]):
    """Calls check(chord, source, compiler, level, variant, folder) for each, and prints what it
    returns, if anything."""
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("program")
    parser.add_argument("--compiler")
    parser.add_argument("--level")
    options = parser.parse_args()
    chord, source = os.path.realpath(options.chord), os.path.realpath(options.program)
    failures = 0
    for compiler in COMPILERS[os.path.splitext(source)[1]]:
        for level in levels:
            if options.compiler not in (None, compiler) or options.level not in (None, level):
                continue
            for variant in variants(source):
                where = " ".join([os.path.basename(source), compiler, level, *variant])
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        found = check(chord, source, compiler, level, variant, folder)
                        if found:
                            print(f"{where}: {found}")
                    except Failure as failure:
                        failures += 1
                        print(f"{where}: {failure}")
                        print(f"again: {sys.argv[0]} {chord} {source} --compiler={compiler} --level={level}")
    sys.exit(1 if failures else 0)
