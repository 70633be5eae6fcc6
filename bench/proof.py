#!/usr/bin/env python3
"""What the proof adds to compiling: the whole command, compiler and assembler included, with --verify=off and with --verify.

    CHORD=build/bin/chord bench/proof.py [FILE.c…] [--levels=-O0,-O2] [--modes=default,--paths,--context] [--repeats=3]

Instructions (cachegrind, all processes) do not depend on what else the machine does; user seconds are the best of the repeats. Without files: one of
10 functions with loops and branches.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import growth  # noqa: E402


def user_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def instructions(command, folder):
    for old in Path(folder).glob("valgrind.*"):
        old.unlink()
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=yes", f"--log-file={folder}/valgrind.%p"]
    subprocess.run(valgrind + command, cwd=folder, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    refs = [re.search(r"I\s+refs:\s+([\d,]+)", log.read_text()) for log in Path(folder).glob("valgrind.*")]
    return sum(int(found[1].replace(",", "")) for found in refs if found)


def added(without, proved):
    return f"{100 * (proved / without - 1):.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--levels", default="-O0,-O2")
    parser.add_argument("--modes", default="default,--paths,--context")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    chord = os.path.abspath(os.environ.get("CHORD", "build/bin/chord"))
    counts = shutil.which("valgrind") is not None
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.abspath(name) for name in args.files]
        if not files:
            files = [os.path.join(folder, "functions.c")]
            Path(files[0]).write_text(growth.functions(10))
        print("| file | level | mode | instructions (millions) | proved | adds | user seconds | proved | adds |")
        print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for name in files:
            for level in args.levels.split(","):
                for mode in args.modes.split(","):
                    options = [] if mode == "default" else mode.split()
                    commands = [[chord, verify, *options, "gcc", level, "-c", name, "-o", "out.o"] for verify in ("--verify=off", "--verify")]
                    refs = [instructions(command, folder) / 1e6 for command in commands] if counts else [0, 0]
                    times = [min(user_seconds(command, folder) for _ in range(args.repeats)) for command in commands]
                    told = f"{refs[0]:.0f} | {refs[1]:.0f} | {added(*refs)}" if counts else "| |"
                    print(f"| {os.path.basename(name)} | {level} | {mode} | {told} | {times[0]:.3f} | {times[1]:.3f} | {added(*times)} |", flush=True)


if __name__ == "__main__":
    main()
