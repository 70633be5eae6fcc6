#!/bin/sh
# `chord top`: each view is the difference to the one before, exact and without
# contradictions; views and dumps leave the profile's sum right.
. "$(dirname "$0")/../common.inc"
. "$here/server.inc"
start_server gcc
expect_status 0 "$CHORD" top $server --once --interval=0.3
expect_equal "warnings" "" "$(cat err)"
expect_contains "heading" "server (process $server): " out
expect_contains "hottest" "answer" out
expect_absent "not a terminal" "$(printf '\033')" out
expect_status 0 "$CHORD" top $server --once --interval=0.3 --json
expect_equal "the hottest function" answer "$(python3 -c 'import json; print(json.load(open("out"))["rows"][0]["function"])')"
expect_equal "calls of main in an interval" 0 "$(field out main calls | sed 's/0 rows/0/')"
"$CHORD" top $server --interval=0.2 --csv >views 2>err &
top=$!
sleep 1
stop_server
wait $top || fail "top does not end with the process: $(cat err)"
expect_equal "warnings until the end" "" "$(cat err)"
[ "$(grep -c '^function,' views)" -ge 3 ] || fail "too few views: $(cat views)"
"$CHORD" report server.chord --by=function --json >report 2>err
expect_equal "warnings of the sum" "" "$(cat err)"
expect_equal "requests" "$requests" "$(field report answer calls)"
