#!/bin/sh
# There is a manual page for chord and for each command, and it has every option that the help has.
. "$(dirname "$0")/../common.inc"
pages=${CHORD_BUILD:-$root/build}/share/man/man1

# Options that a text has, one a line; pages write a minus as \-.
options_in() {
  sed 's/\\-/-/g' "$@" | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

$CHORD help >help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help)
[ "$(echo "$commands" | wc -l)" -ge 20 ] || fail "commands: $commands"
for command in $commands; do
  page=$pages/chord-$command.1
  [ -f "$page" ] || fail "$command has no page"
  grep -qF "chord\\-$command (1)" "$pages/chord.1" || fail "chord.1 does not name $command"
  $CHORD "$command" --help >text
  options_in text >wanted
  options_in "$page" >found
  [ -s wanted ] || fail "$command: no options in its help"
  cmp -s wanted found || fail "$command: $(diff wanted found)"
done
sed -n '/^Build options/,$s/^  --/&/p' help >text
$CHORD help study | sed '/^Reproduces/,$d' | grep '^  --' >>text
options_in text >wanted
options_in "$pages/chord.1" >found
missing=$(comm -23 wanted found)
[ -z "$missing" ] || fail "chord.1 lacks $missing"
if command -v groff >/dev/null; then
  for page in "$pages"/*.1; do groff -man -ww -z -Kutf8 "$page" >said 2>&1; [ ! -s said ] || fail "$page: $(cat said)"; done
fi
