#!/bin/sh
# A file that is no profile is left as it was, with a message, whoever names it; one that is, is added to.
. "$(dirname "$0")/../e2e/common.inc"
sample_program
"$CHORD" gcc -O2 sample.c -o sample

# kept NAME MESSAGE: what is there stays, and the program does not notice.
kept() {
  sum=$(cksum <"$1")
  CHORD_OUT=$1 expect_status 0 ./sample
  expect_contains "$1" "$2" err
  expect_equal "$1" "$sum" "$(cksum <"$1")"
}

echo "a text" >text
kept text "is no profile"
printf x >short
kept short "is no profile"
head -c 40000 /dev/zero >image
kept image "is no profile"
cp sample program
kept program "is no profile"
ln -s text link
kept link "is no profile"
mkfifo pipe
CHORD_OUT=pipe expect_status 0 timeout 20 ./sample
expect_contains "a pipe" "not a regular file" err
CHORD_OUT=/dev/null expect_status 0 ./sample
expect_contains "a device" "not a regular file" err
CHORD_QUIET=1 CHORD_OUT=text expect_status 0 ./sample
[ ! -s err ] || fail "not quiet: $(cat err)"

# Empty files, links to profiles and profiles themselves.
: >empty
CHORD_OUT=empty expect_status 0 ./sample
expect_equal "an empty file" 3 "$(calls empty work)"
ln -s empty to_profile
CHORD_OUT=to_profile expect_status 0 ./sample
expect_equal "a link to a profile" 6 "$(calls empty work)"
"$CHORD" merge empty -o merged
CHORD_OUT=merged expect_status 0 ./sample
expect_equal "a merged profile" 9 "$(calls merged work)"
# The first segment of this one was not finished: its magic is missing.
CHORD_OUT=torn expect_status 0 ./sample
dd if=/dev/zero of=torn bs=8 count=1 conv=notrunc 2>/dev/null
CHORD_OUT=torn expect_status 0 ./sample
[ ! -s err ] || fail "a segment that was not finished: $(cat err)"
expect_equal "behind what was not finished" 3 "$(calls torn work)"
