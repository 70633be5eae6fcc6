#!/bin/sh
# docs/first-report.md: every command of it, on the project it is about, prints what it shows; the page that comes of it shows the same
# numbers in Chromium. CHORD_REBASE=1 writes the document's transcripts and pictures anew.
. "$(dirname "$0")/common.inc"
unset CHORD_FLAGS
cp -r "$root/examples/words" project
cd project || exit 1
PATH=$(dirname "$CHORD"):$PATH COLUMNS=110 LC_ALL=C.UTF-8 "$root/tests/transcript.py" "$root/docs/first-report.md" >../played 2>&1 || fail "$(cat ../played)"
"$CHORD" report woven --json >../report.json
pictures=
if [ "${CHORD_REBASE:-}" = 1 ]; then pictures=$root/docs/images; fi
export PICTURES="$pictures"
in_browser first_report.mjs "$work/project/words.html" "$work/report.json"
# A quarter of the size, and no difference to the eye.
if [ -n "$pictures" ] && command -v pngquant >/dev/null; then
  for picture in first-report first-function; do pngquant --force --strip --nofs --output "$pictures/$picture.png" 64 "$pictures/$picture.png"; done
fi
