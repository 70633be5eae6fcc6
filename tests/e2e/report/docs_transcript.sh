#!/bin/sh
# The transcript in the README is what chord prints: every command in it is run, and its output compared line by line.
. "$(dirname "$0")/../common.inc"
unset CHORD_FLAGS
cp "$root/examples/queens.c" .
PATH=$(dirname "$CHORD"):$PATH
python3 - "$root/README.md" <<'PYTHON' || fail "the README shows something else than chord prints"
import subprocess, sys
text = open(sys.argv[1], encoding="utf-8").read()
block = text.split("```\n$ chord gcc", 1)[1].split("\n```", 1)[0]
commands = ("$ chord gcc" + block).split("\n$ ")
commands[0] = commands[0].removeprefix("$ ")
compared = 0
for command in commands:
    line, _, shown = command.partition("\n")
    line = line.split("#")[0].strip()
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{line}: status {done.returncode}: {done.stderr}")
    printed = [l.rstrip() for l in done.stdout.rstrip("\n").split("\n")]
    shown = [l.rstrip() for l in shown.rstrip("\n").split("\n")] if shown else [""]
    # Of the source a part is shown, from some line on.
    if line.startswith("chord annotate") and shown[0] in printed:
        first = printed.index(shown[0])
        printed = printed[first:first + len(shown)]
    if printed != shown:
        for a, b in zip(shown + [""] * len(printed), printed + [""] * len(shown)):
            if a != b:
                sys.exit(f"{line}: the README has\n  {a}\nchord prints\n  {b}")
    compared += len(shown)
if len(commands) != 4 or compared < 25:
    sys.exit(f"{len(commands)} commands and {compared} lines were compared: fewer than there should be")
PYTHON
