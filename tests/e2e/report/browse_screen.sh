#!/bin/sh
# chord browse on a real terminal: functions, source, assembly, calls, paths, search, order, help, and back out.
. "$(dirname "$0")/../common.inc"
command -v tmux >/dev/null || fail "tmux is missing; script/bootstrap installs it"
sample_program
"$CHORD" --paths gcc -O1 -g sample.c -o sample
CHORD_OUT=s.chord ./sample >/dev/null
socket=$work/tmux.socket
at_end() { tmux -S "$socket" kill-server 2>/dev/null || true; }
tmux -S "$socket" -f /dev/null new-session -d -x 100 -y 24 "sh -c 'unset NO_COLOR; TERM=screen-256color LC_ALL=C.UTF-8 \"$CHORD\" browse s.chord 2>errors; echo \$? >ended; sleep 30'"

# see WHAT TEXT: it appears on the screen.
see() {
  for _ in $(seq 200); do
    tmux -S "$socket" capture-pane -p >screen
    if grep -qF -- "$2" screen; then return; fi
    sleep 0.1
  done
  fail "$1: no '$2' on the screen: $(cat screen)"
}
press() { tmux -S "$socket" send-keys "$@"; }

see "functions" "functions by instructions executed"
see "the hottest function" "work"
press o
see "order" "functions by calls"
press o
see "order" "functions by name"
press o
see "order" "functions by instructions executed"
press Enter
see "source" "sum += i"
tmux -S "$socket" capture-pane -p -e >coloured
grep -q "$(printf '\033')\[31m *[0-9]* | *4  *for" coloured || fail "the hottest line has no colour: $(cat coloured)"
press a
see "assembly" "add"
press q
press c
see "callers" "called by"
see "the caller and its line" "main  at sample.c:14"
press p
see "paths" "instructions  path"
press Enter
see "a path" "path "
press q q q q
see "back" "functions by instructions executed"
press t
see "no contexts" "no calling contexts were counted: build with chord --context"
press q x
see "none of a function" "contexts of work"
see "no contexts" "no calling contexts were counted: build with chord --context"
press q
see "back" "functions by instructions executed"
press / m a i n Enter
sleep 0.3
press Enter
see "what was searched for" "printf"
press q
press / z z z Enter
see "nothing found" "'zzz' is not here"
press h
see "help" "who calls it"
press q q
for _ in $(seq 100); do
  [ ! -s ended ] || break
  sleep 0.1
done
expect_equal "it ends" 0 "$(cat ended)"
tmux -S "$socket" kill-server

# Calling contexts: the tree, folding, one function's contexts, and source, assembly and paths in one of them alone.
cat >called.c <<'C'
#include <stdio.h>
__attribute__((noipa)) int leaf(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s = s * 3 + i;
  return s;
}
__attribute__((noipa)) int often(int n) { return leaf(n) + 1; }
__attribute__((noipa)) int rarely(int n) { return leaf(n) + 2; }
int main(void) {
  printf("%d\n", often(1000) + rarely(7));
  return 0;
}
C
# Paths in contexts are not proved.
CHORD_FLAGS="" "$CHORD" --context --paths gcc -O1 -g called.c -o called
CHORD_OUT=c.chord ./called >/dev/null
socket=$work/tmux.contexts
rm -f ended
tmux -S "$socket" -f /dev/null new-session -d -x 110 -y 24 "sh -c 'LC_ALL=C.UTF-8 \"$CHORD\" browse c.chord 2>errors; echo \$? >ended; sleep 30'"
see "functions" "functions by instructions executed"
press t
see "the tree" "called: calling contexts"
see "what is hot is unfolded" "leaf  called.c:7"
see "what is not is folded" "+ rarely"
press / r a r e l y Enter
sleep 0.3
press Enter
see "unfolded" "leaf  called.c:8"
press j
press s
see "source in that context alone" "in main > rarely > leaf"
see "with its counts" " 8 |     4  "
press p
see "paths in it" "paths in main > rarely > leaf"
press Enter
see "one of them" "path "
press q q q q
see "back" "functions by instructions executed"
press g x
see "contexts of a function" "contexts of leaf"
see "a chain" "main > often > leaf"
press Enter
see "and its place in the tree" "called: calling contexts"
press q q q
for _ in $(seq 100); do
  [ ! -s ended ] || break
  sleep 0.1
done
expect_equal "it ends" 0 "$(cat ended)"

# Sizes that leave no room, and a terminal that is none.
tmux -S "$socket" kill-server
socket=$work/tmux.small
rm -f ended
tmux -S "$socket" -f /dev/null new-session -d -x 20 -y 4 "sh -c '\"$CHORD\" browse s.chord 2>errors; echo \$? >ended; sleep 30'"
sleep 1
press j j k Enter G g q q
for _ in $(seq 100); do
  [ ! -s ended ] || break
  sleep 0.1
done
expect_equal "a small window" 0 "$(cat ended)"
expect_status 2 "$CHORD" browse s.chord
expect_contains "no terminal" "needs a terminal" err
