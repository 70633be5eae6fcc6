#!/bin/sh
# How many bytes the counters of paths take: per function and for the program, in each thread
# and shared by all of them, and that these are the bytes that the executable grows by.
. "$(dirname "$0")/../common.inc"
cat >memory.c <<'SOURCE'
#define BIT(i) if (x & (1u << (i))) __asm__ volatile("" ::: "memory"); else sum += 3;
#define FOUR(i) BIT(i) BIT(i + 1) BIT(i + 2) BIT(i + 3)
#define WORK sum = sum * 5 + x; __asm__ volatile("" : "+r"(sum));
#define FIVE WORK WORK WORK WORK WORK
__attribute__((noinline)) unsigned four_bits(unsigned x, unsigned sum) {  // 16 paths
  FOUR(0)
  return sum;
}
__attribute__((noinline)) unsigned twelve_bits(unsigned x, unsigned sum) {  // 4096: more than a table has
  FOUR(0) FOUR(4) FOUR(8)
  FIVE FIVE FIVE FIVE FIVE FIVE
  return sum;
}
__attribute__((noinline)) unsigned straight(unsigned x) { return x + 1; }
int main(void) { return four_bits(5, 1) + twelve_bits(77, 1) + straight(1) == 0; }
SOURCE
build() {  # OPTIONS…
  rm -f ./*.chord
  "$CHORD" "$@" gcc -O1 memory.c -o memory
  ./memory
}
bytes() {  # of each function "thread+shared", then of the program
  "$CHORD" paths --by=function --json >functions.json
  python3 - <<'PYTHON'
import json
everything = json.load(open("functions.json"))
show = lambda row: f"{row['bytes_per_thread']}+{row['bytes_shared']}"
rows = {r["function"]: show(r) for r in everything["rows"]}
print(*(f"{name} {rows[name]}" for name in sorted(rows)), "all", show(everything))
PYTHON
}
thread_local() { readelf -lW memory | awk '$1 == "TLS" {print $6}'; }
# Eight bytes a path; by number, 1024 counters and one for what is counted elsewhere, and as many numbers.
build --paths
expect_equal "by thread" "four_bits 128+0 main 8+0 straight 8+0 twelve_bits 8200+8200 all 8344+8200" "$(bytes)"
with_tables=$(thread_local)
"$CHORD" paths --by=function >out
expect_contains "in text" "memory: counters of paths take 8,344 bytes in each thread and 8,200 shared by all" out
expect_contains "in text" "bytes/thread  shared" out
"$CHORD" paths --by=function --csv >out
expect_equal "as CSV" 1 "$(grep -c '^function,.*,bytes_per_thread,bytes_shared' out)"
expect_equal "as CSV" 1 "$(grep -c '^twelve_bits,.*,8200,8200' out)"
build --paths --counters=global
expect_equal "one for all threads" "four_bits 0+128 main 0+8 straight 0+8 twelve_bits 0+16400 all 0+16544" "$(bytes)"
more=$((with_tables - $(thread_local)))
[ $more -ge 8344 ] && [ $more -lt $((8344 + 64)) ] || fail "tables of 8344 bytes, and $more more are thread-local"  # and alignment
# Functions without a chosen path have no counters, the others at most those of all paths.
build --paths
"$CHORD" paths select -o ran
grep four_bits ran >one
build --paths=one
expect_equal "a chosen path" "four_bits 128+0 all 128+0" "$(bytes)"
