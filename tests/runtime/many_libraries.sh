#!/bin/sh
# Many more woven libraries in one process than the C library has static thread-local memory for (some hundred), in a woven and in a plain program, with
# plain libraries that need such memory themselves: loaded before threads are started and while they run, called by all of
# them at once, left and loaded again, the first ones among them, and in the child of a fork. Every library is called a different number of times in
# each thread. `--long`: a thousand libraries.
. "$(dirname "$0")/../e2e/common.inc"
count=260
[ "${1:-}" != --long ] || count=1000
kinds=20
cat >library.c <<'SOURCE'
#define NAME_(n) called_##n
#define NAME(n) NAME_(n)
int NAME(N)(int x) {
  if (x & 1) x += 2;
  return x + N;
}
SOURCE
# The largest that still finds room is not known; several are tried until one does not.
cat >tls.c <<'SOURCE'
static __thread long words[16] __attribute__((tls_model("initial-exec"))) = {77};
long use(long x) { return words[0] += x, words[1] += x; }
SOURCE
cat >main.c <<'SOURCE'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { threads = 4 };
static void *library[COUNT];
static int (*called[COUNT])(int);
static long (*use)(long);
static long expected[KINDS];
static int loaded, stop;
static pthread_barrier_t barrier;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  _exit(1);
}
static void load(int i) {
  char name[64];
  snprintf(name, sizeof name, "./lib%d.so", i);
  if ((library[i] = dlopen(name, RTLD_NOW | RTLD_LOCAL)) == NULL) fail(dlerror());
  snprintf(name, sizeof name, "called_%d", i % KINDS);
  called[i] = (int (*)(int))dlsym(library[i], name);
}
static void load_plain(const char *path) {
  void *plain = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plain == NULL) fail(dlerror());
  use = (long (*)(long))dlsym(plain, "use");
}
static void load_up_to(int count) {
  while (loaded < count) load(loaded++);
}
static void call_all(long *used) {
  for (int i = 0; i < loaded; i++)
    for (int k = 0; k <= i % 7 + i % KINDS; k++) {
      if (called[i](k) != k + 2 * (k & 1) + i % KINDS) fail("wrong result");
      __atomic_fetch_add(&expected[i % KINDS], 1, __ATOMIC_RELAXED);
    }
  if (use != NULL && use(1) != ++*used) fail("the thread-local memory of a plain library");
}
// All threads call all libraries at once, as often as main says.
static void *run(void *argument) {
  long used = 0;
  for (;;) {
    pthread_barrier_wait(&barrier);
    if (stop) return argument;
    for (int i = 0; i < 20; i++) call_all(&used);
    pthread_barrier_wait(&barrier);
  }
}
static void round_of_all(void) {
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
}
int main(int count, char **arguments) {
  int kept = count > 1 ? atoi(arguments[1]) : -1;
  pthread_t all[threads];
  long used = 0;
  pthread_barrier_init(&barrier, NULL, threads / 2 + 1);
  load_up_to(COUNT / 4);
  call_all(&used);
  for (int i = 0; i < threads / 2; i++) pthread_create(&all[i], NULL, run, NULL);
  round_of_all();
  load_plain("./plain1.so");  // while woven libraries have taken what they want
  used = 0;
  load_up_to(COUNT / 2);
  round_of_all();
  stop = 1;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < threads / 2; i++) pthread_join(all[i], NULL);
  stop = 0;
  pthread_barrier_init(&barrier, NULL, threads + 1);
  for (int i = 0; i < threads; i++) pthread_create(&all[i], NULL, run, NULL);
  load_up_to(COUNT);
  round_of_all();
  // The first ones have static memory, others count by way of it.
  for (int i = 0; i < 30; i++)
    if (i != kept) dlclose(library[i]);
  load_plain("./plain2.so");
  stop = 1;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  stop = 0;
  for (int i = 29; i >= 0; i--)
    if (i != kept) load(i);
  for (int i = 0; i < threads; i++) pthread_create(&all[i], NULL, run, NULL);
  round_of_all();
  long before[KINDS];
  for (int i = 0; i < KINDS; i++) before[i] = expected[i];
  pid_t child = fork();
  used = 0;
  call_all(&used);
  if (child == 0) exit(0);
  int status;
  waitpid(child, &status, 0);
  if (status != 0) fail("the child");
  for (int i = 0; i < KINDS; i++) expected[i] += expected[i] - before[i];  // what the child called
  call_all(&used);
  for (int i = 0; i < KINDS; i++) printf("called_%d %ld\n", i, expected[i]);
  fflush(stdout);
  if (count > 2) abort();
  exit(0);
}
SOURCE
kind=0
while [ $kind -lt $kinds ]; do
  "$CHORD" gcc -O1 -fPIC -shared -DN=$kind library.c -o kind$kind.so
  kind=$((kind + 1))
done
n=0
while [ $n -lt $count ]; do
  cp kind$((n % kinds)).so lib$n.so
  n=$((n + 1))
done
for n in 1 2; do gcc -O1 -fPIC -shared tls.c -o plain$n.so; done
"$CHORD" gcc -O1 -DCOUNT=$count -DKINDS=$kinds main.c -o woven -ldl -pthread
gcc -O1 -DCOUNT=$count -DKINDS=$kinds main.c -o plain -ldl -pthread
# check WHAT: p.chord has the calls that the program said.
check() {
  "$CHORD" report p.chord --by=function --json >report.json 2>warnings
  expect_absent "$1" warning warnings
  python3 -c 'import collections, json
calls, modules = collections.Counter(), collections.Counter()
for row in json.load(open("report.json"))["rows"]:
    calls[row["function"]] += row["calls"]
    modules[row["function"]] += 1
for kind in range('$kinds'):
    name = f"called_{kind}"
    assert modules[name] == '$((count / kinds))', (name, modules[name])
    print(name, calls[name])' >counted
  diff expected counted >different || fail "$1: $(cat different)"
}
for program in "plain 7" woven; do
  rm -f p.chord
  CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 0 ./$program
  cp out expected
  check "$program"
done
# The same from a core file, with threads that are waiting; unless the system keeps those elsewhere.
rm -f p.chord
(ulimit -c unlimited && CHORD_SIGNALS=0 CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 134 ./plain 7 dies)
cp out expected
for core in core*; do
  [ -e "$core" ] || continue
  "$CHORD" dump "$core" >/dev/null
  check "a core file"
done
# Where all that have static memory are gone, the others have nothing left to count by way of, and that is said.
rm -f p.chord
CHORD_OUT=p.chord CHORD_KEEP_MAPS=0 expect_status 0 ./plain
"$CHORD" report p.chord >report 2>&1
expect_contains "without any static memory" "share counters of shared objects" report
