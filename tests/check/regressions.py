#!/usr/bin/env python3
"""No false alarm in many runs, and every planted regression found and named.

    tests/check/regressions.py CHORD [--runs=1000] [--plants=50] [--work=FOLDER]

A program of many functions with loops is built and run; `chord check` compares every further run with the first one's baseline and
must say nothing. Then one function at a time gets one instruction more in its loop: `chord check` must name that function first, and
no other but callers whose code changed with it.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

FUNCTIONS = 50


def source(planted=None):
    parts = ["#include <stdio.h>", "#include <stdlib.h>"]
    for n in range(FUNCTIONS):
        extra = 'asm volatile("nop");' if n == planted else ""
        parts.append(f"""
__attribute__((noipa)) static unsigned work_{n}(unsigned x, int rounds) {{
  unsigned sum = {n};
  for (int i = 0; i < rounds; i++) {{ {extra}
    sum = sum * {2 * n + 3}u + (x ^ (unsigned)i);
    if (sum & {1 << (n % 7)}) sum ^= x >> {n % 5 + 1};
  }}
  return sum;
}}""")
    calls = "\n".join(f"  sum ^= work_{n}(sum, {5 + 3 * n});" for n in range(FUNCTIONS))
    parts.append(f"int main(void) {{\n  unsigned sum = 1;\n{calls}\n  printf(\"%u\\n\", sum);\n  return 0;\n}}\n")
    return "\n".join(parts)


class Check:
    def __init__(self, chord, work):
        self.chord, self.work = chord, work

    def build(self, name, planted=None):
        text = self.work / "program.c"
        text.write_text(source(planted), encoding="utf-8")
        program = self.work / name
        subprocess.run([self.chord, "gcc", "-O2", "-g", str(text), "-o", str(program)], check=True)
        return program

    def run(self, program):
        profile = program.with_suffix(".chord")
        profile.unlink(missing_ok=True)
        subprocess.run([str(program)], check=True, stdout=subprocess.DEVNULL, env={"CHORD_OUT": str(profile)})
        return profile

    def verdict(self, profile, *options):
        return subprocess.run([self.chord, "check", str(profile), *options], capture_output=True, text=True, check=False)


def false_alarms(check, program, baseline, runs):
    alarms = 0
    for _ in range(runs):
        done = check.verdict(check.run(program), f"--baseline={baseline}")
        if done.returncode != 0:
            alarms += 1
            print(done.stdout + done.stderr)
    return alarms


def planted(check, number, baseline):
    done = check.verdict(check.run(check.build("planted", number)), f"--baseline={baseline}")
    named = [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("work_")]
    rounds = 5 + 3 * number
    exact = any(line.startswith(f"work_{number}:") and f"(+{rounds}," in line for line in done.stdout.splitlines())
    if done.returncode == 1 and named == [f"work_{number}"] and exact:
        return True
    print(f"work_{number}: not found as planted:\n{done.stdout}{done.stderr}")
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chord")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--plants", type=int, default=FUNCTIONS)
    parser.add_argument("--work")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(options.work or folder)
        work.mkdir(parents=True, exist_ok=True)
        check = Check(str(Path(options.chord).resolve()), work)
        program = check.build("before")
        baseline = work / "program.baseline"
        done = check.verdict(check.run(program), f"--write-baseline={baseline}")
        if done.returncode != 0:
            sys.exit(done.stderr)
        alarms = false_alarms(check, program, baseline, options.runs)
        found = sum(planted(check, n, baseline) for n in range(options.plants))
    print(f"{options.runs} runs: {alarms} false alarms; {options.plants} regressions planted: {found} found and named")
    return 0 if alarms == 0 and found == options.plants else 1


if __name__ == "__main__":
    sys.exit(main())
