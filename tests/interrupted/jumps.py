#!/usr/bin/env python3
"""A jump that a jumping signal handler interrupts, at any instruction of it (jumps.c).

Between the moment a longjmp's frames are recorded and its arrival a handler may make it void. The
jump is made once before: it is then a known one, counted by one addition; with --paths none ever is. The
last instructions, from the recording on, are tried one by one, those before here and there; those of a trace, whose
jumps all take thousands, where the jumping function begins, and where it ends. A trace cannot take back that frames were left.

usage: jumps.py CHORD [--mode=OPTIONS]
"""
import argparse
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../oracle"))

from variants import Failure, checked, run  # noqa: E402

ABI = os.path.join(HERE, "..", "..", "abi")
MODES = ("", "--paths", "--callsites", "--trace")
LAST, OTHERS = 45, 12
FIRST = 25  # of a trace
WANTED = {"top": 2, "middle": 2, "low": 2, "leave": 2, "main": 1}
# What a jump into the frames of another one leaves unmeasured is said.
NOTE = "what calls took with all they called is not exact"
# The first jump has all but arrived, and the handler goes to a frame it has left.
TOO_LATE = "a longjmp went to another stack"


def check_calls(args, program, profile, handlers, where):
    report = run([args.chord, "report", "--by=function", "--json", f"--program={program}", profile])
    if TOO_LATE in report.stderr and where.startswith("2, instruction"):
        return
    warnings = [line for line in report.stderr.splitlines() if NOTE not in line]
    if report.returncode != 0 or warnings:
        raise Failure(f"{where}: {report.stderr}")
    calls = {row["function"]: row["calls"] for row in json.loads(report.stdout)["rows"]}
    wanted = {**WANTED, "handler": handlers}
    if calls != wanted:
        raise Failure(f"{where}: calls {calls}, not {wanted}")


def place_of(program, function):
    for line in checked(["nm", program]).stdout.splitlines():
        if line.split()[-1] == function:
            return line.split()[0]
    raise Failure(f"no function {function}")


def check(args, mode, level, folder):
    traced = mode == "--trace"
    step, program, profile = (os.path.join(folder, name) for name in ("step", "program", "program.chordtrace" if traced else "program.chord"))
    checked(["gcc", "-O1", "-I", ABI, "-o", step, os.path.join(HERE, "step.c")])
    checked([args.chord, "--verify", *mode.split(), "gcc", level, "-no-pie", "-Wl,-z,now",
             os.path.join(HERE, "jumps.c"), "-o", program])
    environment = {**os.environ, "CHORD_OUT": profile.removesuffix("trace")}
    moments, place = 0, place_of(program, "leave")
    for which in "01" if traced else "012":
        if os.path.exists(profile):
            os.remove(profile)
        checked([program, which, "wait"], env=environment)
        check_calls(args, program, profile, 1, f"{which}, waiting")
        def interrupted_at(moment):
            return run([step, "signal", place, str(moment), program, which], env=environment)
        whole = int(interrupted_at(1000000).stdout)
        first = range(FIRST) if traced else range(0, whole - LAST, whole // OTHERS)
        for moment in [*first, *range(max(whole - LAST, 0), whole)]:
            if os.path.exists(profile):
                os.remove(profile)
            if interrupted_at(moment).returncode != 0:
                raise Failure(f"{which}, instruction {moment}: the program fails")
            check_calls(args, program, profile, 1, f"{which}, instruction {moment} of {whole}")
            moments += 1
    return moments


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("--mode")
    args = parser.parse_args()
    failed = 0
    for mode in MODES if args.mode is None else (args.mode,):
        for level in ("-O2",):
            try:
                with tempfile.TemporaryDirectory() as folder:
                    print(f"{mode} {level}: {check(args, mode, level, folder)} moments", flush=True)
            except Failure as failure:
                failed += 1
                print(f"FAILED {mode} {level}: {failure}\n  repeat: {sys.argv[0]} {args.chord} --mode='{mode}'")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
