#!/bin/sh
# `chord dump` of a server under load, again and again: the counts grow, never contradict
# each other, and in the end are the requests; no request is lost or answered wrongly.
. "$(dirname "$0")/../common.inc"
. "$here/server.inc"
for compiler in gcc clang; do
  rm -f server.chord
  start_server $compiler
  before=0
  for round in 1 2 3 4 5 6; do
    expect_status 0 "$CHORD" dump $server
    expect_equal "the profile" "$work/server.chord" "$(cat out)"
    "$CHORD" report server.chord --by=function --json >report 2>err
    expect_equal "$compiler: warnings" "" "$(cat err)"
    answers=$(field report answer calls)
    [ "$answers" -ge "$before" ] || fail "$compiler: $answers requests after $before"
    # 50 requests of a connection call it 0 + 1 + … + 49 times, and 3 are open.
    python3 - "$answers" "$(field report step calls)" <<'PYTHON' || fail "$compiler: step does not fit answer"
import sys
answers, steps = map(int, sys.argv[1:])
sys.exit(abs(steps - answers // 50 * 1225) > 4 * 1225)
PYTHON
    before=$answers
  done
  [ "$before" -gt 0 ] || fail "$compiler: nothing was counted while it ran"
  stop_server
  "$CHORD" report server.chord --by=function --json >report 2>err
  expect_equal "$compiler: warnings at the end" "" "$(cat err)"
  expect_equal "$compiler: requests" "$requests" "$(field report answer calls)"
  expect_equal "$compiler: steps" "$((requests / 50 * 1225))" "$(field report step calls)"
  expect_equal "$compiler: calls of main" 1 "$(field report main calls)"
done
