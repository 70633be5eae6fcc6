#!/bin/sh
# Every guarantee of docs/runtime.md names tests, and they exist: here, in the suite that is
# compared with callgrind, or end to end. Every program here is named there.
. "$(dirname "$0")/../e2e/common.inc"
sed -n '/^| situation/,/^$/p' "$root/docs/runtime.md" | awk -F'|' 'NF > 2 && NR > 2 { print $(NF - 1) }' |
  grep -o '`[a-z0-9_]*`' | tr -d '`' | sort -u >named
for name in $(cat named); do
  ls "$here/$name.sh" "$here"/../e2e/*/"$name.sh" "$here/programs/$name".c* "$here/../suite/programs/$name".c* 2>/dev/null |
    grep -q . || fail "no test $name"
done
sed -n '/^| situation/,/^$/p' "$root/docs/runtime.md" | sed '1,2d; /^$/d; /`[a-z0-9_]*` *|$/d' >untested
[ ! -s untested ] || fail "rows without a test: $(cat untested)"
for file in "$here"/programs/*.c "$here"/programs/*.cc; do
  name=$(basename "$file" | sed 's/[.]cc*$//')
  grep -qx "$name" named || fail "$name is not in the table of docs/runtime.md"
done
