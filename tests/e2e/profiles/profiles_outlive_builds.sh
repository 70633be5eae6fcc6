#!/bin/sh
# A profile can be read after the program is gone or built anew, wherever it is taken.
. "$(dirname "$0")/../common.inc"
sample_program
printf 'int part(int n) { return n + 1; }\n' >part.c
sed -i 's/work(100))/work(part(99)))/; 1i int part(int n);' sample.c
"$CHORD" gcc -O1 -g -fPIC -shared part.c -o libpart.so
build() { "$CHORD" gcc -O1 -g "$@" sample.c "$PWD/libpart.so" -o sample; }
build
export CHORD_OUT="$work/s.chord"
./sample >/dev/null
"$CHORD" report s.chord --by=instruction --json >before.json
expect_equal "kept" 2 "$(ls .chord-maps | wc -l)"
same() {  # WHAT PROFILE
  "$CHORD" report "$2" --by=instruction --json >after.json 2>warnings || fail "$1: $(cat warnings)"
  cmp before.json after.json || fail "$1: other counts"
  expect_equal "$1: warnings" "" "$(cat warnings)"
}
"$CHORD" archive -o archive.chord s.chord
"$CHORD" merge --self-contained -o merged.chord s.chord
# Once for each build, not once for each run.
./sample >/dev/null
expect_equal "kept after two runs" 2 "$(ls .chord-maps | wc -l)"
rm s.chord
./sample >/dev/null
# Built anew, then gone.
build -DOTHER -O2
same "another build in its place" s.chord
rm sample libpart.so
same "gone" s.chord
"$CHORD" annotate s.chord sample.c >annotated
expect_contains "annotated" "sum += i" annotated
mv .chord-maps elsewhere
expect_status 1 "$CHORD" report s.chord
expect_contains "nothing is kept" ": cannot open: " err
export CHORD_MAPS="/nonexistent:$PWD/elsewhere"
same "in another folder" s.chord
mkdir -p pool/.build-id
for file in elsewhere/*; do
  id=$(basename "$file")
  mkdir -p "pool/.build-id/$(echo "$id" | cut -c1-2)"
  cp "$file" "pool/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
done
CHORD_MAPS="$PWD/pool" same "by build id" s.chord
unset CHORD_MAPS
mkdir far && mv archive.chord merged.chord far && cd far
cp ../before.json .
same "an archive" archive.chord
same "a merged profile" merged.chord
"$CHORD" merge -o again.chord archive.chord
same "an archive, merged" again.chord
# Not when it is not wanted.
cd "$work"
mkdir plain
build 2>/dev/null || { "$CHORD" gcc -O1 -g -fPIC -shared part.c -o libpart.so && build; }
CHORD_KEEP_MAPS=0 CHORD_OUT="$work/plain/s.chord" ./sample >/dev/null
expect_equal "kept although it is not wanted" "s.chord" "$(ls -A plain)"
