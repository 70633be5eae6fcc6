#!/bin/sh
# On a terminal lines fit its width, names are short, there are bars, colours only without NO_COLOR, and a pager; in a pipe,
# CSV and JSON everything is in full.
. "$(dirname "$0")/../common.inc"
command -v tmux >/dev/null || fail "tmux is missing; script/bootstrap installs it"
mkdir -p deep/folder/of/sources
cat >deep/folder/of/sources/names.cc <<'C'
#include <map>
#include <string>
#include <vector>
__attribute__((noinline)) int look_up(const std::map<std::string, std::vector<std::string>> &all, const std::string &name) {
  auto found = all.find(name);
  return found == all.end() ? 0 : static_cast<int>(found->second.size());
}
int main() {
  std::map<std::string, std::vector<std::string>> all;
  for (int i = 0; i < 30; i++) all["name" + std::to_string(i)].push_back("x");
  return look_up(all, "name7") - 1;
}
C
"$CHORD" g++ -O1 -g "$work/deep/folder/of/sources/names.cc" -o names
CHORD_OUT=n.chord ./names
socket=$work/tmux.socket
at_end() { tmux -S "$socket" kill-server 2>/dev/null || true; }

# on_terminal WIDTH COMMAND: what it shows, in ./screen (with colours), once it has ended.
on_terminal() {
  rm -f ended
  # A server that is just ending refuses new sessions: each has its own.
  session=$((${session:-0} + 1))
  socket=$work/tmux.$session
  tmux -S "$socket" new-session -d -x "$1" -y 50 "sh -c '$2; echo \$? >ended; sleep 30'"
  for _ in $(seq 300); do
    [ ! -s ended ] || break
    sleep 0.1
  done
  tmux -S "$socket" capture-pane -p -e >screen
  tmux -S "$socket" kill-server
}

unset NO_COLOR
for by in function loop inlined inlined-site line; do
  on_terminal 90 "CHORD_PAGER=cat LC_ALL=C.UTF-8 $CHORD report n.chord --by=$by --top=20"
  expect_equal "$by ends well" 0 "$(cat ended)"
  python3 - $by <<'PYTHON' || fail "--by=$by does not fit: $(cat screen)"
import re, sys
text = re.sub(r"\x1b\[[0-9;]*m", "", open("screen", encoding="utf-8").read())
lines = [line for line in text.split("\n") if line.strip()]
assert len(lines) > 3, lines
assert all(len(line) <= 90 for line in lines)
# Nothing wrapped: every row begins with a bar or number, not with the rest of a name.
if sys.argv[1] in ("function", "loop"):
    assert any("look_up(" in line for line in lines) or sys.argv[1] != "function", lines
    assert "basic_string<" not in text and "deep/folder" not in text and "_Z" not in text
PYTHON
done
on_terminal 90 "CHORD_PAGER=cat LC_ALL=C.UTF-8 $CHORD report n.chord --by=function"
grep -q '█' screen || fail "no bars: $(cat screen)"
grep -q "$(printf '\033')\\[3[13]m" screen || fail "no colours"
on_terminal 90 "NO_COLOR=1 CHORD_PAGER=cat LC_ALL=C.UTF-8 $CHORD report n.chord --by=function"
! grep -q "$(printf '\033')\\[3[13]m" screen || fail "colours although NO_COLOR is set"
on_terminal 90 "CHORD_PAGER=\"tee paged\" LC_ALL=C.UTF-8 $CHORD report n.chord --by=instruction"
[ -s paged ] || fail "the pager was not used"
rm paged
on_terminal 90 "CHORD_PAGER=\"tee paged\" $CHORD report n.chord --by=file --top=2"
[ ! -e paged ] || fail "a pager for what fits the screen"
on_terminal 90 "CHORD_PAGER=/no/such/pager $CHORD report n.chord --by=file"
expect_equal "a pager that is not there" 0 "$(cat ended)"
grep -q names.cc screen || fail "nothing was shown without the pager"

# Files and pipes: no colours, no bars; familiar names; everything in full with --wide, CSV and JSON.
"$CHORD" report n.chord --by=function >piped.txt
expect_absent "escape sequences in a pipe" "$(printf '\033')" piped.txt
expect_contains "familiar names" "look_up(std::map<std::string, std::vector<std::string>> const&, std::string const&)" piped.txt
expect_absent "the folder that all share" "deep/folder" piped.txt
"$CHORD" report n.chord --by=function --wide >wide.txt
expect_contains "full names" "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >" wide.txt
expect_contains "full paths" "$work/deep/folder/of/sources/names.cc" wide.txt
"$CHORD" report n.chord --by=function --csv >names.csv
expect_contains "full names in CSV" "std::__cxx11::basic_string<char" names.csv
"$CHORD" report n.chord --by=line --root="$work/deep" >rooted.txt
expect_contains "paths below --root" "folder/of/sources/names.cc" rooted.txt
expect_absent "--root itself" "deep/folder" rooted.txt

# The summary says what to look at next, and that works.
"$CHORD" report n.chord >summary.txt
cp n.chord "a profile.chord"
next_steps() {  # WORDS…: everything that the summary proposes runs as it is written
  "$CHORD" report "$@" >summary.txt
  sed -n '/^next:/,$s/^  chord \(.*[^ ]\)  .*/\1/p' summary.txt >steps
  [ "$(wc -l <steps)" -ge 3 ] || fail "the summary proposes too little: $(cat summary.txt)"
  while read -r step; do eval "\"\$CHORD\" $step" >answer.txt 2>err || fail "$step does not work: $(cat err)"; done <steps
}
next_steps n.chord
expect_contains "the profile that was given" "annotate n.chord " steps
next_steps "a profile.chord"
expect_contains "with quotes if it needs them" "annotate 'a profile.chord' " steps
CHORD_OUT=./names.chord ./names
next_steps ./names --program="$work/names"
expect_contains "a program stands for its profile" "annotate ./names --program=$work/names " steps
# Source in colours: what executed most, and what never ran.
sample_program
"$CHORD" gcc -O1 -g sample.c -o sample
CHORD_OUT=s.chord ./sample >/dev/null
on_terminal 90 "CHORD_PAGER=cat LC_ALL=C.UTF-8 $CHORD annotate s.chord sample.c"
grep -q "$(printf '\033')\[3[13]m *[0-9]" screen || fail "no heat in the source: $(cat screen)"
grep -q "$(printf '\033')\\[36m *#####" screen || fail "what never ran looks like the rest: $(cat screen)"
on_terminal 90 "CHORD_PAGER=\"tee paged\" LC_ALL=C.UTF-8 $CHORD annotate n.chord --instructions"
[ -s paged ] || fail "annotate does not use the pager"
# Names that are short leave figures to give up.
COLUMNS=50 "$CHORD" report s.chord --by=function >narrow.txt
[ "$(wc -L <narrow.txt)" -le 50 ] || fail "lines are too long: $(cat narrow.txt)"
expect_contains "what ran" "sample.c  work" narrow.txt
# Headers of the system by their names alone.
COLUMNS=80 "$CHORD" report n.chord --by=function --top=20 >narrow.txt
expect_absent "folders of the system" "bits/" narrow.txt
# Mnemonics and classes apart.
"$CHORD" report n.chord --by=opcode --csv >opcodes.csv
expect_absent "classes among mnemonics" "class," opcodes.csv
"$CHORD" report n.chord --by=class --csv >classes.csv
expect_contains "classes" "class,load," classes.csv
