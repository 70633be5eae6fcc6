#!/bin/sh
# chord trace explore on a real terminal: lines forward and back, into and out of calls, breakpoints, moments, frames, assembly, threads.
. "$(dirname "$0")/../common.inc"
command -v tmux >/dev/null || fail "tmux is missing; script/bootstrap installs it"
cat >prog.c <<'SOURCE'
#include <pthread.h>
static volatile int sink;
__attribute__((noinline)) static int twice(int n) {
  return n + n;
}
__attribute__((noinline)) static int sum(int n) {
  int all = 0;
  for (int i = 0; i < n; i++)
    all += twice(i);
  return all;
}
static void *other(void *p) {
  sink = twice(7);
  return p;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  pthread_join(thread, 0);
  sink = sum(3);
  sink = sum(4);
  return 0;
}
SOURCE
"$CHORD" --trace gcc -O0 -g prog.c -o prog -pthread
./prog
expect_status 2 "$CHORD" trace explore prog.chordtrace
expect_contains "no terminal" "needs a terminal" err
socket=$work/tmux.socket
at_end() { tmux -S "$socket" kill-server 2>/dev/null || true; }
tmux -S "$socket" -f /dev/null new-session -d -x 100 -y 24 "sh -c 'LC_ALL=C.UTF-8 \"$CHORD\" trace explore prog.chordtrace 2>errors; echo \$? >ended; sleep 30'"
# see WHAT TEXT: it appears on the screen.
see() {
  for _ in $(seq 200); do
    tmux -S "$socket" capture-pane -p >screen
    if grep -qE -- "$2" screen; then return; fi
    sleep 0.1
  done
  fail "$1: no '$2' on the screen: $(cat screen)"
}
press() { tmux -S "$socket" send-keys "$@"; }
# The number of the moment on the screen.
moment() { sed -n 's/.* moment \([0-9]*\) of .*/\1/p' screen; }
first() { "$CHORD" trace prog.chordtrace --csv --thread=1 --find="$1" --nth="$2" | awk -F, 'NR == 2 { print $2 }'; }

see "the beginning" "thread 1  moment 0 of [0-9]+  depth 0  main"
press n n n
see "a line" "^> +20  "
press s
see "into the call" "^> +6  |^> +7  "
expect_equal "its moment" "$(first sum 1)" "$(moment)"
see "the call it is in" "^main.*prog.c:20"
press u
see "the caller" "^> +20  "
press d
see "back" "^> +6  |^> +7  "
press o
see "out of it" "main\+0x[0-9a-f]+  prog.c:20"
press N
see "the line before" "^> +19  "
press b
press -l twice
press Enter
see "a breakpoint" "breakpoint at twice"
press c
see "the first call of it" "moment $(first twice 1) of"
press c c
see "the third" "moment $(first twice 3) of"
press C
see "the second again" "moment $(first twice 2) of"
press b
press -l prog.c:21
press Enter
see "another" "breakpoint at prog.c:21"
press b
press -l prog.c:1
press Enter
see "no code" "prog.c:1: there is no code"
press g
press -l 5
press Enter
see "a moment" "moment 5 of"
press i
see "an instruction on" "moment 6 of"
press I I
see "and back" "moment 4 of"
press a
see "assembly" "push|movq|endbr64"
press a
press t
see "another thread" "thread [23]  moment 0 of [0-9]+  depth 0  other"
press q
for _ in $(seq 100); do
  [ ! -s ended ] || break
  sleep 0.1
done
expect_equal "it ends" 0 "$(cat ended)"
