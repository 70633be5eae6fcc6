"""Shared by oracles that compare what a plain and a woven program print, in every mode, and what the report says of it."""

import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

MODES = [[], ["--paths"], ["--events=instructions"], ["--durable"], ["--callsites"], ["--place=redundant"],
         ["--loop-counters=memory"], ["--context"], ["--context", "--paths"], ["--trace=bits"], ["--trace=witness"], ["--trace=paths"], ["--coverage"], ["--metrics=tsc"],
         ["--metrics=sim:l1d"], ["--metrics=sim:l1i,sim:branch"], ["--paths", "--metrics=sim:l1d,tsc"],
         ["--context", "--metrics=sim:l1d"], ["--context", "--events=instructions"], ["--events=calls", "--place=optimal"],
         ["--counters=atomic"], ["--paths", "--events=instructions"]]
UNCOUNTED = (["--events=instructions"],)  # totals alone
SECONDS = 20


def chord():
    return os.environ.get("CHORD") or str(Path(__file__).resolve().parents[2] / "build" / "bin" / "chord")


def run(command, folder, **more):
    return subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, timeout=300, check=False, **more)


def outcome(folder, binary):
    """What it prints and ends with."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CHORD")}
    for old in folder.glob(f"{binary}*.chord*"):
        old.unlink()
    try:
        done = subprocess.run([folder / binary], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
                              env=environment, check=False)
        return done.stdout, done.returncode
    except subprocess.TimeoutExpired:
        return "", "no end"


def build(folder, prefix, case, output):
    """case: {"compiler", "flags", "sources": [(file, more flags, is it woven)], "link"}. An error text, or None."""
    objects = []
    for source, more, woven in case["sources"]:
        target = f"{Path(source).stem}.{output}.o"
        done = run([*(prefix if woven else []), case["compiler"], *case["flags"], *more, "-w", "-c", source, "-o", target], folder)
        if done.returncode != 0:
            return done.stderr
        objects.append(target)
    done = run([*prefix, case["compiler"], *case["flags"], *objects, "-o", output, *case.get("link", [])], folder)
    return done.stderr if done.returncode != 0 else None


def weave(folder, case, mode):
    """An error text or None, and why the proof refuses what is then compared all the same, if it does: it may know too little."""
    error = build(folder, [chord(), "--verify", *mode], case, "woven")
    refusal = re.search(r"error: verify: \S+ (?:line \d+: )?(.*)", error or "")
    if refusal is None:
        return error, None
    return build(folder, [chord(), *mode], case, "woven"), refusal[1]


def calls_in_report(folder, mode):
    """An error text, or None; and function -> calls, in builds for coverage whether it ran."""
    profile = "woven.chordtrace" if any(word.startswith("--trace") for word in mode) else "woven.chord"
    done = run([chord(), "report", profile, "--by=function", "--json"], folder)
    if done.returncode != 0:
        return f"report: {done.stderr}", {}
    answer = json.loads(done.stdout)
    wrong = [w for w in [*answer["warnings"], done.stderr] if "contradict" in w or "bug" in w]
    return (f"report: {wrong}" if wrong else None), {r["demangled"]: r["ran" if "--coverage" in mode else "calls"] for r in answer["rows"]}


def compare_calls(folder, mode, case, expected):
    """What is wrong, or None. `expected`: function -> calls."""
    all_woven = all(woven for _, _, woven in case["sources"])
    if "-Wl,--gc-sections" in case["flags"]:
        expected = {f: n for f, n in expected.items() if n != 0}  # the linker may have dropped it
    if mode in UNCOUNTED:
        return None
    error, got = calls_in_report(folder, mode)
    if error is not None:
        return error
    if "--coverage" in mode:
        expected = {f: n > 0 for f, n in expected.items()}
    wrong = {f: (n, got.get(f, "not listed")) for f, n in expected.items() if got.get(f, None if all_woven else n) != n}
    return f"calls, and those in the report: {wrong}" if wrong else None


def check_mode(folder, case, mode, expected, calls_of, refused):
    """None, or what is wrong."""
    error, unproved = weave(folder, case, mode)
    if unproved is not None:
        refused[f"{' '.join(mode)}: {unproved}"] += 1
    if error is not None:
        return None if "do not go together" in error else error[:2000]
    got = outcome(folder, "woven")
    if got != expected:
        return f"expected {expected}, got {got}"[:3000]
    return compare_calls(folder, mode, case, calls_of(expected[0]))


def check(folder, case, modes, calls_of, refused):
    """None if all is well, "left out: …", or what is wrong. Counts in `refused` what the proof does not accept."""
    error = build(folder, [], case, "plain")
    if error is not None:
        return f"left out: {error.splitlines()[0] if error else 'the compiler failed'}"
    expected = outcome(folder, "plain")
    if expected[1] != 0:
        return f"left out: the plain program ends with {expected[1]}"
    # Compilers have bugs of their own in conventions that few use.
    other = {**case, "flags": [*case["flags"], *case.get("otherwise", [])]}
    if build(folder, [], other, "other") is not None or {outcome(folder, "plain"), outcome(folder, "other")} != {expected}:
        return "left out: plain builds disagree about what it prints"
    for mode in modes:
        wrong = check_mode(folder, case, mode, expected, calls_of, refused)
        if wrong is not None:
            return f"{' '.join(mode) or 'default'}: {wrong}"
    return None


def drawn_modes(draw, options):
    drawn = draw.sample(MODES, min(options.modes, len(MODES)))
    return drawn if options.mode is None else [options.mode.split()]


def main(description, make, name, calls_of=lambda output: {}):
    """make(random, folder) writes the sources of a case and returns it; calls_of(output) are the calls that it counted itself."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first case")
    parser.add_argument("--count", type=int, default=1000000)
    parser.add_argument("--minutes", type=float, default=1.0, help="no case begins later")
    parser.add_argument("--modes", type=int, default=2, help="modes that each case is woven in, drawn from all")
    parser.add_argument("--mode", help="this one alone")
    parser.add_argument("--keep", action="store_true", help="keep the folder of each case that fails")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    done = left_out = failed = 0
    refused, why_left_out = collections.Counter(), collections.Counter()
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end:
            break
        draw = random.Random(seed)
        folder = Path(tempfile.mkdtemp(prefix=f"{name}{seed}."))
        case = make(draw, folder)
        before = refused.copy()
        problem = check(folder, case, drawn_modes(draw, options), calls_of, refused)
        for reason in refused - before:
            print(f"seed {seed}: {case['compiler']} {' '.join(case['flags'])}: the proof does not accept {reason}", flush=True)
        done += 1
        if problem is not None and problem.startswith("left out: "):
            left_out += 1
            why_left_out[problem] += 1
        elif problem is not None:
            failed += 1
            print(f"seed {seed}: {case['compiler']} {' '.join(case['flags'])}: {problem}\n"
                  f"again: tests/random/{name}.py --seed={seed} --count=1 --modes={options.modes} --keep   ({folder})", flush=True)
        if problem is None or problem.startswith("left out: ") or not options.keep:
            shutil.rmtree(folder)
    print(f"{done} cases, {left_out} left out, {failed} failed; {sum(refused.values())} weavings that the proof does not accept")
    for reason, times in [*why_left_out.most_common(), *refused.most_common()]:
        print(f"{times:6}  {reason}")
    return 1 if failed or (done and left_out == done) else 0
