#!/bin/sh
# Calling contexts in the viewers they are exported for: speedscope (which reads folded stacks and pprof's files, too), Firefox
# Profiler and pprof show the instructions of every function, its own and with all it calls, that `chord contexts` has. So does speedscope of
# a trace.
. "$(dirname "$0")/common.inc"
readers=${CHORD_BUILD:-$root/build}/readers
install_tools "$here/readers" "$readers"
cat >calls.cc <<'SOURCE'
#include <pthread.h>
#include <signal.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink, rounds = 5;
template <class T> NOINLINE void leaf(T n) {
  for (int i = 0; i < n; i++) sink = sink + i;
}
NOINLINE void twice(int n) {
  leaf(n);
  leaf(2 * n);
  sink = sink + 1;
}
NOINLINE int down(int n) {
  if (n == 0) return sink;
  twice(n);
  return down(n - 1) + down(n - 1) + sink;
}
#ifdef ALONE
int main() {
  for (int i = 0; i < rounds; i++) twice(10);
  leaf<long>(3);
  sink = down(4);
}
#else
static void handler(int) { leaf<short>(2); sink = 1; }
static void *run(void *) { twice(7); sink = 1; return nullptr; }
int main() {
  for (int i = 0; i < rounds; i++) twice(10);
  leaf<long>(3);
  sink = down(4);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, nullptr) == 0) pthread_join(thread, nullptr);
}
#endif
SOURCE
for build in "g++ -O1" "clang++ -O2"; do
  rm -f ./*.chord
  "$CHORD" --context $build -g calls.cc -o calls -pthread
  ./calls
  "$CHORD" contexts --by-thread --json >contexts.json 2>/dev/null
  for format in folded speedscope pprof firefox; do "$CHORD" export $format -o "out.$format" 2>/dev/null; done
  READERS="$readers/node_modules" in_browser speedscope.mjs folded speedscope pprof
  node "$here/firefox.mjs" "$readers/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$work/out.firefox" ||
    fail "$build: Firefox Profiler shows something else"
done
rm -f ./*.chord out.*
"$CHORD" --context g++ -O1 -g -DALONE calls.cc -o calls
./calls
"$CHORD" contexts --by-thread --json >contexts.json 2>/dev/null
"$CHORD" --trace g++ -O1 -g -DALONE calls.cc -o traced
./traced
"$CHORD" export speedscope -o out.speedscope traced.chordtrace
READERS="$readers/node_modules" in_browser speedscope.mjs speedscope
