#!/bin/sh
# Functions with more paths than a table has: counted by number, exactly, in threads, signal
# handlers, forked children, libraries that come and go, dumps and merged profiles, with
# more executed paths than there are counters, and cut only where numbers would not fit.
. "$(dirname "$0")/../common.inc"
cat >many.h <<'SOURCE'
// 2^20 paths, and how often each was asked for. With so much to do that looking one up is no
// great part of it.
#define WORK sum = sum * 5 + x; __asm__ volatile("" : "+r"(sum));
#define FIVE WORK WORK WORK WORK WORK
#define BIT(i) if (x & (1u << (i))) __asm__ volatile("" ::: "memory"); else sum += 3;
#define EIGHT(i) BIT(i) BIT(i + 1) BIT(i + 2) BIT(i + 3) BIT(i + 4) BIT(i + 5) BIT(i + 6) BIT(i + 7)
__attribute__((noinline)) unsigned many(unsigned x, unsigned sum) {
  EIGHT(0) EIGHT(8) BIT(16) BIT(17) BIT(18) BIT(19)
  FIVE FIVE FIVE FIVE FIVE FIVE
  return sum;
}
SOURCE
cat >many.c <<'SOURCE'
#define _GNU_SOURCE
#include <chord/chord.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef LIBRARY
static unsigned (*many)(unsigned, unsigned);
#else
#include "many.h"
#endif
static unsigned *asked;
static volatile unsigned sink;
static void ask(unsigned x) {
  __atomic_fetch_add(&asked[x & 0xfffff], 1, __ATOMIC_RELAXED);
  sink = many(x, 0);
}
static void on_alarm(int signal) {
  static unsigned next;
  (void)signal;
  ask(next++ % 3000 * 331);
}
static void *run(void *argument) {
  unsigned thread = (unsigned)(size_t)argument;
  sigset_t alarm;
  for (unsigned i = 0; i < 20000; i++) ask((i % (1500 + thread * 500)) * 7 * thread);
  // Behind the thread's end nothing is seen of it any more.
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
  return NULL;
}
static void in_threads(void) {
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, (void *)(i + 1));
  for (size_t i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}
static void print_counts(void) {
  for (unsigned x = 0; x < 1 << 20; x++)
    if (asked[x] != 0) printf("%u\n", asked[x]);
}
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  asked = calloc(1 << 20, sizeof *asked);
#ifdef LIBRARY
  for (int round = 0; round < 3; round++) {
    void *library = dlopen("./libmany.so", RTLD_NOW);
    many = (unsigned (*)(unsigned, unsigned))dlsym(library, "many");
    for (unsigned i = 0; i < 4000; i++) ask(i % (1000 + 500 * round));
    dlclose(library);
  }
#endif
  if (!strcmp(what, "signals")) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 10; i++) in_threads();
    setitimer(ITIMER_REAL, &never, NULL);
  }
  if (!strcmp(what, "threads")) in_threads();
  if (!strcmp(what, "dump")) {
    for (unsigned i = 0; i < 9000; i++) {
      ask(i % 3000);
      if (i % 1000 == 0) chord_dump();
      if (i == 5000) chord_pause();
      if (i == 5000) many(77777, 0), many(12, 0);
      if (i == 5000) chord_resume();
    }
  }
  if (!strcmp(what, "fork")) {
    for (unsigned i = 0; i < 3000; i++) ask(i % 2000);
    if (fork() == 0) {
      memset(asked, 0, sizeof *asked << 20);
      for (unsigned i = 0; i < 5000; i++) ask(1000 + i % 4000);
    }
  }
  print_counts();
  if (!strcmp(what, "crash")) {
    for (unsigned i = 0; i < 100; i++) sink = many(i % 50, 0);
    fflush(stdout);
    abort();
  }
  while (wait(NULL) > 0) {}
  return 0;
}
SOURCE
counts() {  # of the paths of many, in order
  "$CHORD" paths --json "$@" >paths.json
  python3 -c 'import json; print(*sorted(r["count"] for r in json.load(open("paths.json"))["rows"] if r["function"] == "many" and r["end"] == "exit"), sep="\n")'
}
exact() {  # WHAT: the profiles' counts are those in asked.out
  sort -n asked.out >wanted
  counts >got
  cmp -s wanted got || fail "$build $1: $(wc -l <wanted) paths asked for, $(wc -l <got) counted: $(diff wanted got | head -5)"
}
try() {
  for what in threads signals dump; do
    rm -f ./*.chord
    ./many $what >asked.out
    exact $what
  done
  "$CHORD" report --by=function --json >report.json
  expect_equal "$build: calls follow from paths" 9000 "$(field report.json many calls)"
  "$CHORD" merge -o merged.chord many.chord
  expect_equal "$build: merged" "$(counts many.chord)" "$(counts merged.chord)"
}
include="-I$root/runtime/include"
for build in "gcc -O0" "gcc -O2" "clang -O1" "gcc -O2 -fPIC -pie"; do
  "$CHORD" --paths $build -g "$include" many.c -o many -pthread
  try
done
# A child has its own counts, and its parent's none of them.
rm -f ./*.chord
CHORD_OUT=fork.%p.chord ./many fork >both.out
for profile in fork.*.chord; do
  counts "$profile"
done | sort -n >got
sort -n both.out | cmp -s - got || fail "fork: other counts"
# Counters in common.
build="gcc -O2 --counters=atomic"
"$CHORD" --paths --counters=atomic gcc -O2 -g "$include" many.c -o many -pthread
rm -f ./*.chord
./many threads >asked.out
exact threads
# What counters stand for is kept while the library is away.
build="gcc -O2, library"
"$CHORD" --paths gcc -O2 -g -fPIC -shared -xc many.h -o libmany.so
gcc -O2 -DLIBRARY "$include" many.c -o many -ldl
rm -f ./*.chord
./many >asked.out
exact library
# A crashed program that could not write its counts itself, from its core.
if command -v gdb >gdb.out; then
  build="gcc -O1, core"
  rm -f ./*.chord
  "$CHORD" --paths gcc -O1 -g "$include" many.c -o many -pthread
  CHORD_SIGNALS=0 gdb -nx -batch -ex "run crash >crash.out" -ex "generate-core-file crash.core" ./many >gdb.out 2>&1 || :
  "$CHORD" dump crash.core >dumped 2>err || fail "dump of a core: $(cat err)"
  expect_equal "from a core" "$(yes 2 | head -50)" "$(counts)"
fi
# Chosen paths, by number, are told from the rest as well; all if they are too many to list.
build="gcc -O1"
"$CHORD" --paths gcc -O1 -g "$include" many.c -o many -pthread
rm -f ./*.chord
./many threads >asked.out
"$CHORD" paths --by=function --json >functions.json
expect_equal "paths of many" 1048576 "$(field functions.json many possible)"
"$CHORD" paths select --random=5 --seed=3 -o random.paths
grep -q '^many ' random.paths || fail "no random path: $(cat random.paths)"
"$CHORD" paths select --uncovered | grep -q '^many \* shape=' || fail "the rest is not all"
"$CHORD" paths select --top=500 | grep many >many.paths
counts >all
numbered() {  # number and count of each path of many in paths.json that many.paths names
  python3 -c 'import json
named = set()
for part in open("many.paths").read().split()[1].split(","):
    first, last = (part.split("-") * 2)[:2]
    named |= set(range(int(first), int(last) + 1))
print(*sorted((r["path"], r["count"]) for r in json.load(open("paths.json"))["rows"] if r["function"] == "many" and r["path"] in named))'
}
numbered >among_all
rm -f ./*.chord
"$CHORD" --paths=many.paths gcc -O1 -g "$include" many.c -o many -pthread
./many threads >asked.out
counts >some
expect_equal "chosen" "$(cat among_all)" "$(numbered)"
# More than 2^62 paths: cut, and still exact.
python3 - >cut.c <<'SOURCE'
print("int cut(unsigned long long x, int sum) {")
for i in range(90): print(f"  if (x >> {i % 64} & 1) __asm__ volatile(\"\" ::: \"memory\"); else sum += 3;")
print("  return sum; }\nint main(void) { int sum = 0; for (unsigned i = 0; i < 1000; i++) sum += cut(i * 0x9e3779b97f4a7c15ull, 0); return sum == 1; }")
SOURCE
for compiler in gcc clang; do
  "$CHORD" --paths $compiler -O1 -fno-inline -g cut.c -o cut
  rm -f ./*.chord
  ./cut
  "$CHORD" report --by=function --json >report.json
  expect_equal "$compiler: calls of cut" 1000 "$(field report.json cut calls)"
done
