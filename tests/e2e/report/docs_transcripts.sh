#!/bin/sh
# What the documents show is what chord prints: each that says in what folder it is played (`<!-- played in a folder with FILE… -->`) is, command by command.
# CHORD_REBASE=1 writes what is printed into them.
. "$(dirname "$0")/../common.inc"
unset CHORD_FLAGS
# An installed copy, as a reader has it: CMake finds <chord/chord.h> through it.
cmake --install "${CHORD_BUILD:-$root/build}" --prefix "$work/installed" >log 2>&1 || fail "$(cat log)"
PATH=$work/installed/bin:$PATH
export COLUMNS=110 LC_ALL=C.UTF-8
played=0
for document in "$root"/docs/*.md; do
  files=$(sed -n 's/^<!-- played in a folder with \(.*\) -->$/\1/p' "$document")
  [ -n "$files" ] || continue
  folder=$work/$(basename "$document" .md)
  mkdir "$folder"
  for file in $files; do cp -r "$root/$file" "$folder"; done
  (cd "$folder" && "$root/tests/transcript.py" "$document") >said 2>&1 || fail "$(cat said)"
  played=$((played + 1))
done
[ "$played" -ge 9 ] || fail "only $played documents were played"
