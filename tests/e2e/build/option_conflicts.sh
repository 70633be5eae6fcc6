#!/bin/sh
# Build options that do not go together are named as they were given; nothing is dropped silently.
. "$(dirname "$0")/../common.inc"
unset CHORD_FLAGS
sample_program
# refused ONE OTHER: in both orders, and from CHORD_FLAGS.
refused() {
  for words in "$1 $2" "$2 $1"; do
    expect_status 2 "$CHORD" $words gcc -c sample.c
    for word in $words; do expect_contains "$words" "$word" err; done
    expect_contains "$words" "do not go together" err
    expect_equal "$words: options named" 2 "$(head -1 err | grep -o -- ' --[a-z]' | wc -l)"
  done
  CHORD_FLAGS=$1 expect_status 2 "$CHORD" $2 gcc -c sample.c
}
refused --durable --callsites
refused --budget --paths
refused --durable --counters=atomic
refused --durable --counters=global
refused --callsites --counters=global
refused --callsites --place=none
refused --paths=hot.paths --durable
refused --paths --callsites
for other in --paths --events --callsites --budget --context --durable --place=vertex --counters=atomic; do refused --coverage $other; done
expect_status 2 "$CHORD" --except-noise gcc -c sample.c
expect_contains "a switch alone" "--except-noise is for --paths" err
# The last of one option holds, and what is the default anyway is no conflict.
expect_status 0 "$CHORD" --counters=atomic --durable --counters=thread gcc -c sample.c
expect_status 0 "$CHORD" --durable --counters=thread gcc sample.c -o sample
CHORD_DURABLE=1 CHORD_OUT=d.chord ./sample >/dev/null
expect_equal "--durable --counters=thread" 3 "$(calls d.chord work)"
expect_status 2 "$CHORD" --place=nowhere gcc -c sample.c
expect_contains "no such value" "one of: optimal, redundant" err
expect_status 2 "$CHORD" --place gcc -c sample.c
expect_contains "no value" "--place: needs a value" err
expect_status 2 "$CHORD" --verify=no gcc -c sample.c
# Help: every option once, the switches for study apart.
"$CHORD" help >help
"$CHORD" help study >study
for option in --paths --events --callsites --budget --only --except --durable --counters --weights --verify; do
  expect_equal "help of $option" 1 "$(grep -c -- "^  $option\(=\|\[\| \|$\)" help)"
done
for option in --place --steps --stubs --entries --loop-counters --paths-algorithm; do
  expect_equal "help of $option" 0 "$(grep -c -- "^  $option=" help)"
  expect_equal "help study: $option" 1 "$(grep -c -- "^  $option=" study)"
done
# Completion, as bash does it.
cat >complete.bash <<'BASH'
eval "$("$CHORD" completion bash)"
try() {
  COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
  _chord 2>/dev/null
  echo "${COMPREPLY[@]}"
}
try "chord rep"
try "chord --place=ver"
try "chord --verify --dur"
try "chord gcc --dur"
BASH
CHORD=$CHORD bash complete.bash >out
expect_equal "completion" "report|vertex vertex-edge|--durable||" "$(grep -v '^reptyr' out | sed 's/^report .*/report/' | tr '\n' '|')"
"$CHORD" completion zsh >out
expect_contains "zsh" "--place=vertex-edge" out
