#!/bin/sh
# `--metrics` of events that the kernel counts: page faults of functions, paths and contexts are known beforehand; a group of several; threads, forks,
# exceptions, longjmps and descriptors that the program closes; events that the machine lacks. Virtual machines have no PMU: there hardware
# events are tested for being reported as missing, and their reading with pages made by hand (unit test PerfPage).
. "$(dirname "$0")/../common.inc"
cat > faults.cc <<'END_OF_C'
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static const long kPage = 4096;
extern "C" {
// Touches so many fresh pages: a fault each.
NOINLINE void touch(int pages) {
  volatile char *p = (volatile char *)mmap(0, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise((void *)p, pages * kPage, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) p[i * kPage] = 1;
  munmap((void *)p, pages * kPage);
}
NOINLINE void few() { touch(10); asm volatile(""); }
NOINLINE void many() { touch(500); asm volatile(""); }
NOINLINE void choose(int which) {
  volatile char *p = (volatile char *)mmap(0, 300 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise((void *)p, 300 * kPage, MADV_NOHUGEPAGE);
  if (which) { p[0] = 1; p[kPage] = 1; p[2 * kPage] = 1; }
  else p[5 * kPage] = 1;
}
NOINLINE void throws() { touch(50); throw std::runtime_error("out"); }
static jmp_buf back;
NOINLINE void jumps() { touch(60); longjmp(back, 1); }
NOINLINE void handler(int) { touch(70); asm volatile(""); }
static pthread_key_t key;
NOINLINE void late(void *) { touch(1); asm volatile(""); }  // when the thread's end has been noticed
NOINLINE void *thread(void *p) { pthread_setspecific(key, &key); touch(100); return p; }
}
static int open_files() {
  int n = 0;
  for (int fd = 0; fd < 1024; ++fd) n += fcntl(fd, F_GETFD) >= 0;
  return n;
}
int main(int argc, char **argv) {
  for (int i = 0; i < 3; ++i) few();
  many();
  for (int i = 0; i < 20; ++i) choose(i % 2);
  try { throws(); } catch (const std::exception &) {}
  if (!setjmp(back)) jumps();
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  if (argc > 1) {
    pthread_key_create(&key, late);
    int before = open_files();
    pthread_t t[3];
    for (pthread_t &x : t) pthread_create(&x, 0, thread, 0);
    for (pthread_t &x : t) pthread_join(x, 0);
    if (open_files() != before) return 8;  // nothing is left open
    if (fork() == 0) { touch(40); exit(0); }
    wait(0);
  }
  if (argc > 2) {  // whatever was open is closed, and the numbers are files of the program's own
    FILE *made = fopen("numbers", "w");
    for (int i = 0; i < 100000; ++i) fputs("0123456789", made);
    fclose(made);
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    int fd = -1;
    for (int i = 0; i < 1000; ++i) fd = open("numbers", O_RDONLY);
    few();
    off_t moved = 0;
    for (int i = 3; i <= fd; ++i) moved += lseek(i, 0, SEEK_CUR);
    if (moved != 0) return 9;
  }
  return 0;
}
END_OF_C
cat > judge.py <<'END_OF_PYTHON'
import json, sys
mode, arguments = sys.argv[1], int(sys.argv[2])
rows = {r["function"]: r for r in json.load(open("functions.json"))["rows"]}
def faults(name, of="metrics"):
    return rows[name][of].get("page-faults", 0)
# Beside these a function faults for its own code, stack and what libc touches the first time: a few.
def about(what, wanted, got, slack=40):
    assert wanted <= got <= wanted + slack, (what, wanted, got)
touched = 3 * 10 + 500 + 50 + 60 + 70 + (3 * 100 + 40 if arguments else 0) 
about("touch", touched, faults("touch"), 60)
about("choose", 40, faults("choose"))
assert faults("many") < 30 and faults("few") < 30
if mode != "--context":
    about("many", 500, faults("many", "metrics_inclusive"))
    if not arguments:
        whole = sum(r["metrics"].get("page-faults", 0) for r in rows.values())
        handled = faults("handler", "metrics_inclusive")
        assert whole == faults("main", "metrics_inclusive"), (whole, faults("main", "metrics_inclusive"), handled)
assert sum(r["metrics"].get("task-clock", 0) for r in rows.values()) > 0
if mode == "--paths":
    paths = [r for r in json.load(open("paths.json"))["rows"] if r["function"] == "choose" and r["count"]]
    of = sorted(r["metrics"]["page-faults"] for r in paths)
    assert len(of) == 2, paths
    about("a path with one", 10, of[0], 20)
    about("a path with three", 30, of[1], 20)
    assert sum(of) <= faults("choose")
if mode == "--context":
    contexts = json.load(open("contexts.json"))["rows"]
    by = {}
    names = {r["id"]: r["function"] for r in contexts}
    for r in contexts:
        if r["function"] == "touch": by[names.get(r["parent"], "")] = by.get(names.get(r["parent"], ""), 0) + r["metrics"]["page-faults"]
    about("many > touch", 500, by["many"])
    about("few > touch", 30, by["few"])
END_OF_PYTHON
for mode in "" --paths --context; do
  "$CHORD" --metrics=page-faults,task-clock,tsc $mode g++ -O1 -g -pthread faults.cc -o faults
  for arguments in "" "1"; do
    rm -f ./*.chord
    ./faults $arguments || fail "run $mode $arguments"
    "$CHORD" report --by=function --json > functions.json
    [ "$mode" != --paths ] || "$CHORD" paths --json > paths.json
    [ "$mode" != --context ] || "$CHORD" contexts --json > contexts.json
    python3 judge.py "$mode" "${arguments:-0}" || fail "$mode '$arguments'"
  done
  rm -f ./*.chord
  ./faults 1 2 || fail "files of the program's own were read ($?)"
  "$CHORD" report --by=function > out 2> err
  expect_contains "closed" "page-faults: not measured" err
done
"$CHORD" --metrics=page-faults --paths g++ -O1 -g -pthread faults.cc -o faults
rm -f ./*.chord
./faults
"$CHORD" paths --metric=page-faults > out
expect_contains "hot paths" "dense" out
# Few of one for each of many others: not 0.000.
"$CHORD" --metrics=page-faults,tsc g++ -O1 -g -pthread faults.cc -o faults
rm -f ./*.chord
./faults
"$CHORD" report --metric=page-faults/tsc > out
expect_contains "ratio" "e-0" out

# Names: unknown ones are refused with those that there are.
expect_status 2 "$CHORD" --metrics=perf:NO_SUCH_EVENT g++ -c faults.cc
expect_contains "what there is" "task-clock" err
expect_status 2 "$CHORD" --metrics=page-faults=3 g++ -c faults.cc
expect_status 2 "$CHORD" --metrics=tsc,task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,cpu-clock,alignment-faults g++ -c faults.cc
expect_contains "too many" "more than 8" err

# An event that the machine lacks, or permission for it: the program runs, and the report says what is missing. With a PMU it is there.
"$CHORD" --metrics=cycles,page-faults g++ -O1 -g -pthread faults.cc -o faults 2> built
rm -f ./*.chord
./faults || fail "it must run"
"$CHORD" report --by=function --json > functions.json 2> err
if [ -s built ]; then
  expect_contains "at build time" "cycles: cannot be counted on this machine" built
  expect_contains "what there is" "page-faults" built
  expect_contains "missing" "cycles: not measured" err
  python3 -c "
import json
rows = json.load(open('functions.json'))['rows']
assert not any('cycles' in r['metrics'] for r in rows)
assert sum(r['metrics'].get('page-faults', 0) for r in rows) > 700" || fail "the other event is there"
else
  python3 -c "
import json
assert sum(r['metrics']['cycles'] for r in json.load(open('functions.json'))['rows']) > 0" || fail "cycles"
fi
