#!/bin/sh
# The composite action of examples/ci, step by step as a runner would: inputs with their defaults, the environment it sets, `bash -e`. It passes
# where nothing grew, fails and names function and line where something did, and no input is taken for a command.
. "$(dirname "$0")/../common.inc"
cat >play.py <<'PYTHON'
"""play.py ACTION [INPUT=VALUE…]: runs the steps of a composite action."""
import os, re, subprocess, sys

def scalar(text):
    return text.strip().strip('"')

def read(path):
    """Defaults of the inputs, and the steps: the subset of YAML that the action is written in."""
    inputs, steps, part, name = {}, [], None, None
    lines = open(path, encoding="utf-8").read().splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if re.match(r"\w+:", line):
            part = line.split(":")[0]
        elif part == "inputs" and (found := re.match(r"  (\w+):$", line)):
            name = found[1]
            inputs[name] = None
        elif part == "inputs" and (found := re.match(r"    default:(.*)", line)):
            inputs[name] = scalar(found[1])
        elif part == "runs" and (found := re.match(r"    - (\w+):(.*)", line)):
            steps.append({"env": {}, found[1]: scalar(found[2])})
        elif part == "runs" and (found := re.match(r"        (\w+): (\$\{\{.*\}\})$", line)):
            steps[-1]["env"][found[1]] = found[2]
        elif part == "runs" and line == "      run: |":
            body = []
            while at < len(lines) and lines[at].startswith("        "):
                body.append(lines[at][8:])
                at += 1
            steps[-1]["run"] = "\n".join(body) + "\n"
    return inputs, steps

inputs, steps = read(sys.argv[1])
given = dict(word.split("=", 1) for word in sys.argv[2:])
assert set(given) <= set(inputs), f"no such input: {set(given) - set(inputs)}"
inputs |= given
assert None not in inputs.values(), f"an input is missing: {inputs}"
fill = lambda text: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: inputs[m[1]], text)
assert steps and all(step["shell"] == "bash" and step["run"] for step in steps), steps
for step in steps:
    environment = {name: fill(value) for name, value in step["env"].items()}
    done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", fill(step["run"])], env=os.environ | environment, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
PYTHON
action=$root/examples/ci/check-action/action.yml
GITHUB_STEP_SUMMARY=$work/summary.md
export GITHUB_STEP_SUMMARY
cp "$root/examples/queens.c" .
"$CHORD" gcc -O2 -g queens.c -o queens
CHORD_OUT=prog.chord ./queens >/dev/null
"$CHORD" check prog.chord --write-baseline='of the program.baseline'
expect_status 0 python3 play.py "$action" baseline='of the program.baseline' profile=prog.chord chord="$CHORD"
[ -s chord-check.xml ] || fail "no JUnit file"
[ -s chord-benchmark.json ] || fail "no file for github-action-benchmark"
python3 -c 'import json, sys, xml.dom.minidom; json.load(open("chord-benchmark.json")); xml.dom.minidom.parse("chord-check.xml")' || fail "files that cannot be read"

sed -i 's/int found = 0;/int found = 0; static volatile long tried; ++tried;/' queens.c
"$CHORD" gcc -O2 -g queens.c -o queens
rm prog.chord "$GITHUB_STEP_SUMMARY"
CHORD_OUT=prog.chord ./queens >/dev/null
expect_status 1 python3 play.py "$action" baseline='of the program.baseline' profile=prog.chord chord="$CHORD" junit=verdict.xml
expect_contains "the annotation" "::error file=queens.c,line=6,title=chord%3A place::place: 92,950 -> 100,166" out
expect_contains "the summary" "place" "$GITHUB_STEP_SUMMARY"
expect_contains "the verdict" "<failure" verdict.xml
# Without a profile the newest; rules that allow more; inputs that would be commands.
expect_status 1 python3 play.py "$action" baseline='of the program.baseline' chord="$CHORD"
printf 'total grows <= 10%%\n' >allowed.rules
expect_status 0 python3 play.py "$action" baseline='of the program.baseline' profile=prog.chord chord="$CHORD" rules=allowed.rules
# shellcheck disable=SC2016
expect_status 1 python3 play.py "$action" baseline='$(touch taken)"; touch taken; "' profile=prog.chord chord="$CHORD"
[ ! -e taken ] || fail "an input was taken for a command"

# The workflow calls it with inputs that there are, by the place it is copied to; its own steps are scripts.
python3 - "$root/examples/ci/workflows/cost.yml" "$action" <<'PYTHON' || fail "the workflow and the action do not fit"
import re, sys
workflow, action = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
step = workflow.split("uses: ./.github/actions/chord-check")[1].split("      - ")[0]
given = set(re.findall(r"^          (\w+):", step, re.M))
assert given and given <= set(re.findall(r"^  (\w+):$", action, re.M)), given
PYTHON
sed -n 's/^      - run: //p' "$root/examples/ci/workflows/cost.yml" >steps.sh
[ "$(wc -l <steps.sh)" -ge 2 ] || fail "the workflow has no steps"
bash -n steps.sh || fail "the workflow's steps are no scripts"
