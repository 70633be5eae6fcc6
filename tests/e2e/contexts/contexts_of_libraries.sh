#!/bin/sh
# Contexts across shared objects, linked, loaded and unloaded again and again, in several threads: all as in one executable made of
# the same code.
. "$(dirname "$0")/../common.inc"
cat >library.c <<'SOURCE'
#include <setjmp.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
static __thread jmp_buf back;
NOINLINE static int leaf(int n) { return sink + n; }
int library_work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += leaf(i);
  return sum;
}
int library_each(int n, int (*f)(int)) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += f(i);
  return sum;
}
static int compare(const void *a, const void *b) { return library_work(*(const int *)a) - *(const int *)b; }
int library_sort(int n) {
  int a[5] = {3, 1, 2, 5, 4};
  qsort(a, 5, sizeof *a, compare);
  return a[0] + library_work(n);
}
NOINLINE static int jump(int n) {
  if (n == 0) longjmp(back, 1);
  return jump(n - 1) + leaf(n);
}
int library_try(int n) { return setjmp(back) == 0 ? jump(n) : leaf(n); }
SOURCE
cat >other.c <<'SOURCE'
#include <stdlib.h>
static int by_two(const void *a, const void *b) { return *(const int *)a / 2 - *(const int *)b / 2; }
int other_sort(int (*f)(int)) {
  int a[4] = {4, 2, 3, 1};
  qsort(a, 4, sizeof *a, by_two);
  return f(a[0]);
}
SOURCE
cat >main.c <<'SOURCE'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#ifdef LOADED
static int (*library_work)(int), (*library_each)(int, int (*)(int)), (*library_sort)(int), (*library_try)(int), (*other_sort)(int (*)(int));
static void *libraries[2];
static void begin(void) {
  libraries[0] = dlopen("./liblibrary.so", RTLD_NOW);
  libraries[1] = dlopen("./libother.so", RTLD_NOW);
  library_work = (int (*)(int))dlsym(libraries[0], "library_work");
  library_each = (int (*)(int, int (*)(int)))dlsym(libraries[0], "library_each");
  library_sort = (int (*)(int))dlsym(libraries[0], "library_sort");
  library_try = (int (*)(int))dlsym(libraries[0], "library_try");
  other_sort = (int (*)(int (*)(int)))dlsym(libraries[1], "other_sort");
}
static void end(void) {
  dlclose(libraries[0]);
  dlclose(libraries[1]);
}
#else
int library_work(int), library_each(int, int (*)(int)), library_sort(int), library_try(int), other_sort(int (*)(int));
static void begin(void) {}
static void end(void) {}
#endif
static int callback(int n) { return library_work(n) + 1; }
static int down(int n) {
  if (n == 0) return library_each(3, callback) + other_sort(callback);
  int sum = library_sort(n) + library_try(n);
  return sum + down(n - 1);
}
static void *thread(void *n) { return (void *)(long)down(*(int *)n); }
static int part(int n) {
  pthread_t other;
  void *result;
  begin();
  pthread_create(&other, NULL, thread, &n);
  int sum = down(n);
  pthread_join(other, &result);
  end();
  return sum + (int)(long)result;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += part(i + 1);
  printf("%d\n", sum);
}
SOURCE
chains() {
  "$CHORD" contexts "$1" --json >contexts.json
  python3 -c '
import collections, json
rows = {r["id"]: r for r in json.load(open("contexts.json"))["rows"]}
def chain(r):
    return (chain(rows[r["parent"]]) + ">" if r["parent"] else "") + r["site"] + ":" + r["function"]
for r in sorted(rows.values(), key=chain):
    if "begin" not in chain(r) and ":end" not in chain(r):
        own = "" if r["function"] in ("main", "part") else r["exclusive"]
        print(chain(r), r["calls"], own)'
}
build_libraries() {
  for name in library other; do "$CHORD" $1 $build -g -fPIC -shared $name.c -o lib$name.so; done
}
for build in "gcc -O2 -fno-optimize-sibling-calls" "clang -O0"; do
  command -v ${build%% *} >/dev/null || continue
  rm -f ./*.chord
  for name in library other; do "$CHORD" --context $build -g -fPIC -c $name.c -o $name.o; done
  "$CHORD" --context $build -g -pthread main.c library.o other.o -o whole -ldl
  expected=$(./whole)
  chains whole.chord >whole.txt
  grep -q 'down>.*library_sort>.*compare>.*library_work>.*leaf' whole.txt || fail "no chain across: $(cat whole.txt)"
  build_libraries --context
  "$CHORD" --context $build -g -pthread main.c -L. -llibrary -lother -Wl,-rpath,"$PWD" -o linked
  expect_equal "$build, linked" "$expected" "$(./linked)"
  chains linked.chord >linked.txt
  expect_equal "$build, linked" "$(cat whole.txt)" "$(cat linked.txt)"
  "$CHORD" --context $build -g -pthread -DLOADED main.c -o loaded -ldl
  expect_equal "$build, loaded" "$expected" "$(./loaded)"
  # Calls through pointers have other sites.
  sums() { awk '{ n = split($1, w, ":"); print w[n], $2, $3 }' "$1" | awk '{ c[$1] += $2; e[$1] += $3 } END { for (f in c) print f, c[f], e[f] }' | grep -v 'down\|callback\|main\|part\|thread' | sort; }
  chains loaded.chord >loaded.txt
  expect_equal "$build, loaded" "$(sums whole.txt)" "$(sums loaded.txt)"
  grep -q 'down>.*library_sort>.*compare>.*library_work>.*leaf' loaded.txt || fail "no chain across: $(cat loaded.txt)"
  expect_equal "$build, loaded: roots" "$(grep -c '^:[a-z]* ' whole.txt)" "$(grep -c '^:[a-z]* ' loaded.txt)"
  # An executable that is not woven: the libraries share what the first of them has.
  $build -g -pthread -DLOADED main.c -o plain -ldl
  rm -f ./*.chord
  expect_equal "$build, plain" "$expected" "$(CHORD_OUT=plain.chord ./plain)"
  chains plain.chord >plain.txt
  expect_equal "$build, plain" "$(sums whole.txt)" "$(sums plain.txt)"
  # Without contexts in the libraries, they are passed over.
  build_libraries ""
  rm -f ./*.chord
  expect_equal "$build, passed over" "$expected" "$(./linked)"
  chains linked.chord >over.txt
  grep -q 'down>[^>]*callback' over.txt || fail "callbacks of libraries without contexts: $(cat over.txt)"
done
