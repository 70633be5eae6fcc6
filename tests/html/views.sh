#!/bin/sh
# Every view of real pages in Chromium: what is shown, keys, links, print, without JavaScript; no console error, no
# request, no finding of axe.
. "$(dirname "$0")/common.inc"
cp "$root/tests/suite/programs/templates.cc" "$root/examples/queens.c" .
"$CHORD" --paths g++ -O2 -g templates.cc -o templates
./templates >/dev/null
"$CHORD" html templates.chord >/dev/null
"$CHORD" --paths gcc -O2 -g queens.c -o queens
./queens >/dev/null
"$CHORD" html queens.chord >/dev/null
cp queens.chord old.chord
./queens too many >/dev/null 2>&1 || true
"$CHORD" html --diff old.chord queens.chord -o diff.html >/dev/null
in_browser views.mjs "$work/queens.html" "$work/templates.html" "$work/diff.html"
