#!/bin/sh
# A program with more rights than its caller takes no orders from the environment, and what it writes it
# writes as its caller, who could have written it without it. It follows no links. Needs root, to make such programs.
. "$(dirname "$0")/../e2e/common.inc"
[ "$(id -u)" = 0 ] || exit 0
sample_program
chmod 755 .
mkdir mine
chown nobody mine
as_nobody() { (cd mine && setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all "$@"); }
fresh() { rm -rf mine/* && echo "keep this" >secret && chmod 600 secret; }

made_for() {
  "$CHORD" $build sample.c -o sample
  chown "$1" sample
  chmod u+s sample
}

# Root's program, run by nobody.
elevated() {
  made_for root
  fresh
  CHORD_OUT=elsewhere.chord CHORD_DURABLE=1 expect_status 0 as_nobody ../sample
  # Where the file system ignores the bit the order is followed.
  [ ! -f mine/elsewhere.chord ] || exit 0
  expect_equal "$build: work" 3 "$(calls mine/sample.chord work)"
  expect_equal "$build: owner" nobody "$(stat -c %U mine/sample.chord)"
  as_nobody ../sample >out
  expect_equal "$build: twice" 6 "$(calls mine/sample.chord work)"
}

# What lies where the profile goes stays as it was, and the program goes on.
refused() {
  expect_status 0 as_nobody ../sample
  expect_contains "$1" "are lost" err
  expect_contains "$1" "$2" err
  expect_equal "$1: what only root may write" "keep this" "$(cat secret)"
}

spared() {
  fresh
  ln -s "$work/secret" mine/sample.chord
  refused "a link to a file" "symbolic link"
  fresh
  ln -s "$work/made" mine/sample.chord
  refused "a link to nothing" "symbolic link"
  [ ! -e made ] || fail "the link was followed"
  fresh
  ln secret mine/sample.chord
  refused "another name of root's file" "permission denied"
  fresh
  cp secret mine/sample.chord
  chown nobody mine/sample.chord
  refused "a text" "no profile"
  expect_equal "a text" "keep this" "$(cat mine/sample.chord)"
  fresh
  mkfifo mine/sample.chord
  chown nobody mine/sample.chord
  refused "a pipe" "not a regular file"
  fresh
  mkdir mine/sample.chord
  refused "a folder" "it is a folder"
  # The folder itself may be exchanged for a link while the program runs.
  fresh
  mkdir roots && mkdir mine/there
  (cd mine/there && setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c '
    rmdir ../there && ln -s ../../roots ../there && exec ../../sample') >out 2>err
  [ -z "$(ls roots)" ] || fail "written to another folder as root"
  rm -rf roots
}

# Nobody's program, run by root: its caller is root.
lowered() {
  made_for nobody
  rm -f ./*.chord*
  CHORD_OUT=elsewhere.chord expect_status 0 ./sample
  expect_equal "$build: work, lowered" 3 "$(calls sample.chord work)"
  expect_equal "$build: owner, lowered" root "$(stat -c %U sample.chord)"
}

for build in "gcc -O2" "clang -O0"; do elevated; done
spared
for build in "gcc -O2" "clang -O0"; do lowered; done
