#!/bin/sh
# CHORD_SIGNALS=0: no signal is taken, so a crash leaves no profile; an exit still does.
. "$(dirname "$0")/../e2e/common.inc"
printf '#include <stdlib.h>\nint main(int n, char **v) { (void)v; if (n > 1) abort(); return 0; }\n' >stop.c
"$CHORD" gcc stop.c -o stop
CHORD_SIGNALS=0 expect_status 134 sh -c './stop x 2>/dev/null; exit $?'
[ ! -f stop.chord ] || fail "a profile"
CHORD_SIGNALS=0 expect_status 0 ./stop
[ -f stop.chord ] || fail "no profile"
