#!/usr/bin/env python3
"""Runs the transcripts in a document and compares what is printed with what it shows, line by line.

    tests/transcript.py FILE.md             in the current folder; fails at the first difference
    CHORD_REBASE=1 tests/transcript.py …    writes what is printed into the document instead

A transcript is a block between ``` lines whose first line begins with `$ `. Commands run one after the other in the current
folder; each must succeed and print nothing to stderr.
"""

import os
import subprocess
import sys


def blocks(lines):
    """(first, last) line of what is inside of each transcript."""
    fences = [n for n, line in enumerate(lines) if line.startswith("```")]
    return [(a + 1, b) for a, b in zip(fences[::2], fences[1::2]) if lines[a + 1].startswith("$ ")]


def run(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{command}: status {done.returncode}: {done.stdout}{done.stderr}")
    return [line.rstrip() for line in done.stdout.splitlines()]


def play(lines):
    """What the block looks like now."""
    return [text for line in lines if line.startswith("$ ") for text in [line, *run(line[2:])]]


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    out, end, compared = [], 0, 0
    for first, last in blocks(lines):
        now = play(lines[first:last])
        if os.environ.get("CHORD_REBASE") != "1" and now != lines[first:last]:
            pairs = zip(lines[first:last] + [""] * len(now), now + [""] * (last - first))
            shown, printed = next(pair for pair in pairs if pair[0] != pair[1])
            sys.exit(f"{path}: it shows\n  {shown}\nand what is printed is\n  {printed}")
        out += [*lines[end:first], *now]
        end, compared = last, compared + len(now)
    if compared == 0:
        sys.exit(f"{path}: there is no transcript in it")
    if os.environ.get("CHORD_REBASE") == "1":
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(out + lines[end:]) + "\n")
    print(f"{path}: {compared} lines")


if __name__ == "__main__":
    main()
