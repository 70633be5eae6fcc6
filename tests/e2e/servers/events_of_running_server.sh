#!/bin/sh
# `chord events PID`: totals of a server under load grow, and are those of its profile in the end.
. "$(dirname "$0")/../common.inc"
. "$here/server.inc"
CHORD_FLAGS="--verify --events=calls,instructions --place=optimal"
start_server gcc
before=0
for round in 1 2 3 4; do
  expect_status 0 "$CHORD" events $server --json
  now=$(python3 -c 'import json; print(json.load(open("out"))["rows"][1]["events"])')
  [ "$now" -ge "$before" ] || fail "$now calls after $before"
  before=$now
done
[ "$before" -gt 0 ] || fail "nothing was counted while it ran"
stop_server
"$CHORD" events server.chord --json >events.json
"$CHORD" report server.chord --json >report.json
python3 - <<'PYTHON' || fail "totals at the end"
import json
events = {row["kind"]: row["events"] for row in json.load(open("events.json"))["rows"]}
assert events["instructions"] == json.load(open("report.json"))["instructions"], events
PYTHON
expect_status 1 "$CHORD" events $server
expect_contains "no such process" "process $server" err
expect_status 1 "$CHORD" events $$
expect_contains "a shell" "not built with chord" err
