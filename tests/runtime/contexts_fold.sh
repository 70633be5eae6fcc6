#!/bin/sh
# Runs of a build with --context become one segment, too: contexts, their paths, and what ended early in them are those
# that CHORD_KEEP_RUNS=1 adds up to, and the profile stays as large as one run's. A dump that could not be written loses nothing.
. "$(dirname "$0")/../e2e/common.inc"
cat >many.cc <<'SOURCE'
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
__attribute__((noinline)) int leaf(int n) {
  if (n == 0) throw 7;
  return n % 3 == 0 ? n * 3 : n;
}
__attribute__((noinline)) int middle(int n) { return leaf(n) + (n > 2 ? leaf(n + 1) : 1); }
__attribute__((noinline)) int nest(int n) {
  if (n > 6) exit(0);
  return nest(n + 1) + middle(n);
}
static void *run(void *argument) {
  long sum = 0;
  for (long i = 0; i < (long)argument; i++) sum += middle((int)i + 1);
  return (void *)sum;
}
static void loaded(const char *library, int n) {
  void *handle = dlopen(library, RTLD_NOW);
  if (handle == nullptr) abort();
  reinterpret_cast<int (*)(int)>(dlsym(handle, "part"))(n);
  dlclose(handle);
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 3;
  const char *how = argc > 2 ? argv[2] : "";
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], nullptr, run, (void *)(i + n));
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (int i = n; i >= 0; i--) {
    try {
      middle(i);
    } catch (int) {
      n += 100;
    }
  }
  for (int i = 0; i < 3; i++) loaded("./libpart.so", n);
  if (!strcmp(how, "nest")) nest(argc);
}
SOURCE
cat >part.c <<'SOURCE'
__attribute__((noinline)) static int step(int n) { return n & 1 ? n : 3; }
int part(int n) { return n > 100 ? step(n) : step(n) + step(n + 1); }
SOURCE
rows() {  # PROFILE NAME
  for by in function edge instruction; do "$CHORD" report "$1" --by=$by --json; done >"$2"
  "$CHORD" contexts "$1" --json --by-thread >>"$2"
  case $mode in *paths*) "$CHORD" paths "$1" --json --context='main > *' >>"$2" ;; esac
  "$CHORD" report "$1" --json >>"$2"
}
for mode in "--context" "--context --paths" "--context=depth:2 --events=instructions"; do
  for build in "g++ -O2 -g" "clang++ -O0 -g -fPIC -pie"; do
    what="$mode $build"
    command -v ${build%% *} >/dev/null || continue
    rm -f ./*.chord
    verify=--verify
    case $mode in *paths*) verify=--verify=off ;; esac  # paths in contexts are not proved (docs/proof.md)
    "$CHORD" $verify $mode $build -pthread many.cc -ldl -o many
    "$CHORD" $verify ${mode% --events*} gcc -O1 -fPIC -shared part.c -o libpart.so
    runs() {
      for i in 1 2 3 4 5; do
        ./many $i
        ./many $i nest
        ./many $i again
      done
    }
    export CHORD_OUT="$work/folded.chord"
    ./many 4
    runs
    export CHORD_OUT="$work/kept.chord" CHORD_KEEP_RUNS=1
    ./many 4
    runs
    unset CHORD_OUT CHORD_KEEP_RUNS
    rows folded.chord folded
    rows kept.chord kept
    cmp folded kept || fail "$what: folded runs do not count what they did: $(diff folded kept | head -5)"
    "$CHORD" report folded.chord >summary
    expect_contains "$what: runs" "16 runs, 64 threads" summary
    size=$(wc -c <folded.chord)
    [ "$(wc -c <kept.chord)" -gt $((2 * size)) ] || fail "$what: $size bytes folded, CHORD_KEEP_RUNS kept $(wc -c <kept.chord)"
    # The same runs again add no context, and so no more than a few bytes to the numbers.
    cp folded.chord again.chord
    export CHORD_OUT="$work/again.chord"
    runs
    unset CHORD_OUT
    [ "$(wc -c <again.chord)" -le $((size + 2048)) ] || fail "$what: $(wc -c <again.chord) bytes after 31 runs, $size after 16"
    "$CHORD" merge -o merged.chord folded.chord
    rows merged.chord merged
    cmp merged kept || fail "$what: merged runs do not count what they did"
  done
done

# A dump fails; the next one has it all.
cat >dumps.c <<'SOURCE'
#include <chord/chord.h>
#include <sys/stat.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) int step(int n) { return n & 1 ? sink : 2; }
__attribute__((noinline)) int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += step(i);
  return sum;
}
int main(void) {
  work(3);
  if (chord_dump() == 0) return 1;
  mkdir("later", 0700);
  work(4);
  if (chord_dump() != 0) return 2;
  work(5);
}
SOURCE
"$CHORD" --verify --context gcc -O1 -I"$root/runtime/include" dumps.c -o dumps
CHORD_OUT="$work/later/dumps.chord" ./dumps 2>err || fail "dumps: $?"
expect_contains "what could not be written" "no such folder" err
expect_equal "calls of step" 12 "$(calls later/dumps.chord step)"
"$CHORD" contexts later/dumps.chord --json >contexts.json
expect_equal "contexts of step" "12" "$(python3 -c 'import json; print(sum(r["calls"] for r in json.load(open("contexts.json"))["rows"] if r["function"] == "step"))')"
