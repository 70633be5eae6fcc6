#!/bin/sh
# Folders and files with quotes, backslashes, newlines and letters beyond ASCII in their names.
. "$(dirname "$0")/../common.inc"
odd=$(printf 'd\303\251 "q"\nnext\\n')
mkdir -p "$odd/tmp"
sample_program
mv sample.c "$odd/caf$(printf '\303\251').c"
export TMPDIR="$PWD/$odd/tmp"
each() {
  (
    cd "$odd"
    "$CHORD" $build -g caf*.c -o prog
    rm -f p.chord
    CHORD_OUT=p.chord ./prog >out
  )
  "$CHORD" report "$odd/p.chord" --by=file --json >files.json
  python3 - <<'PYTHON' || fail "$build: the file's name is wrong: $(cat files.json)"
import json, sys
sys.exit(["café.c"] != [r["file"].split("/")[-1] for r in json.load(open("files.json"))["rows"]])
PYTHON
  "$CHORD" annotate "$odd/p.chord" café.c >out 2>err || fail "$build: annotate: $(cat err)"
  expect_contains "$build: a line" "#### |     9" out
}
each_build each
cd "$odd"
printf '.globl f\n.type f,@function\nf: ret\n.size f,.-f\n' >odd.S
"$CHORD" gcc -g -c odd.S
