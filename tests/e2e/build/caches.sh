#!/bin/sh
# ccache and sccache, in front of chord and after it: what a plain build, each set of options and each version make
# of one source is kept apart, and found again.
. "$(dirname "$0")/../common.inc"
unset CHORD_FLAGS
command -v ccache >/dev/null || { echo "no ccache: not tested"; exit 0; }
export CCACHE_DIR=$PWD/ccache CCACHE_NOHASHDIR=1
unset CCACHE_DISABLE
sample_program
sed -i 's/#include <stdio.h>/int printf(const char *, ...);/' sample.c  # nothing that could be too new

is_woven() { readelf -SW "$1" | grep -q '\.chord\.map'; }
# has_paths OBJECT: it was built with --paths, by its size.
hits() { ccache --print-stats | awk '$1 ~ /^(direct|preprocessed)_cache_hit$/ { n += $2 } END { print n + 0 }'; }
# builds WHAT HITS COMMAND…: the object is o, and so many more hits were there.
builds() {
  what=$1 expected=$2
  shift 2
  before=$(hits)
  rm -f o
  "$@" -O1 -c sample.c -o o 2>err || fail "$what: $(cat err)"
  expect_equal "$what: hits" "$expected" "$(($(hits) - before))"
}
plain() { ! is_woven o || fail "$1: woven"; }
woven() { is_woven o || fail "$1: not woven"; }
paths() { woven "$1"; cmp -s o paths.o || fail "$1: not the object with paths"; }
edges() { woven "$1"; cmp -s o edges.o || fail "$1: not the object with edges"; }

for compiler in gcc clang; do
  "$CHORD" $compiler -O1 -c sample.c -o edges.o
  "$CHORD" --paths $compiler -O1 -c sample.c -o paths.o
  for order in "$CHORD ccache $compiler" "ccache $CHORD $compiler" "ccache $(dirname "$CHORD")/chord-$compiler"; do
    rm -rf ccache
    builds "$order 1" 0 $order
    edges "$order 1"
    builds "$order plain" 0 ccache $compiler
    plain "$order plain"
    builds "$order 2" 1 $order
    edges "$order 2"
    builds "$order plain again" 1 ccache $compiler
    plain "$order plain again"
    CHORD_FLAGS=--paths builds "$order paths" 0 $order
    paths "$order paths"
    CHORD_FLAGS=--paths builds "$order paths again" 1 $order
    paths "$order paths again"
    builds "$order 3" 1 $order
    edges "$order 3"
    # The contents of a file that an option names.
    cp "$root/examples/small-core.costs" costs
    CHORD_FLAGS="--events=$PWD/costs" builds "$order costs" 0 $order
    echo '# changed' >>costs
    CHORD_FLAGS="--events=$PWD/costs" builds "$order other costs" 0 $order
  done
done
# ccache under the compiler's name.
mkdir links
ln -s "$(command -v ccache)" links/gcc
rm -rf ccache
PATH=$PWD/links:$PATH builds "masqueraded ccache" 0 "$CHORD" gcc
woven "masqueraded ccache"
PATH=$PWD/links:$PATH builds "masqueraded ccache, plain" 0 gcc
plain "masqueraded ccache, plain"
PATH=$PWD/links:$PATH builds "masqueraded ccache again" 1 "$CHORD" gcc
woven "masqueraded ccache again"

command -v sccache >/dev/null || exit 0
export SCCACHE_DIR=$PWD/sccache SCCACHE_SERVER_PORT=$((20000 + $$ % 20000)) SCCACHE_IDLE_TIMEOUT=60
at_end() { sccache --stop-server >/dev/null 2>&1 || true; }
hits() { sccache --show-stats --stats-format json | python3 -c 'import json, sys; print(sum(json.load(sys.stdin)["stats"]["cache_hits"]["counts"].values()))'; }
sccache --start-server >/dev/null 2>&1
"$CHORD" gcc -O1 -c sample.c -o edges.o
"$CHORD" --paths gcc -O1 -c sample.c -o paths.o
for order in "$CHORD sccache gcc" "sccache $(dirname "$CHORD")/chord-gcc"; do
  builds "$order 1" 0 $order
  edges "$order 1"
  case $order in "$CHORD"*) again=0 ;; *) again=1 ;; esac
  builds "$order plain" $again sccache gcc
  plain "$order plain"
  builds "$order 2" 1 $order
  edges "$order 2"
  CHORD_FLAGS=--paths builds "$order paths" 0 $order
  paths "$order paths"
  builds "$order 3" 1 $order
  edges "$order 3"
done
