// Every kind of access to memory: strings with rep, locked and plain read-modify-write, moves of all widths, pushes through memory, accesses
// across lines, conditional moves, thread-local variables, tables of functions.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char bytes[1 << 16] __attribute__((aligned(4096)));
static uint64_t words[4096];
static __thread uint32_t mine[64];
static volatile uint64_t locked;

__attribute__((noinline)) static void strings(char *to, const char *from, unsigned long n) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
  n = 37;
  __asm__ volatile("std\n\tlea -8(%0),%0\n\trep stosq\n\tcld" : "+D"(to), "+c"(n) : "a"(7ul) : "memory");
  __asm__ volatile("cld\n\tmovsq\n\tlodsb\n\tstosw" : "+D"(to), "+S"(from) : : "rax", "memory", "cc");
}

__attribute__((noinline)) static uint64_t across(unsigned i) {
  uint64_t x, y;
  memcpy(&x, bytes + 61 + 64 * (i % 100), 8);
  memcpy(&y, bytes + 14 + 4096 * (i % 15), 8);
  memcpy(bytes + 4093 + 128 * (i % 7), &x, 4);
  return x + y;
}

__attribute__((noinline)) static void modify(unsigned i) {
  __atomic_fetch_add(&locked, i, __ATOMIC_SEQ_CST);
  __atomic_exchange_n(&words[i * 9 % 4096], i, __ATOMIC_SEQ_CST);
  words[i * 65 % 4096] += i;
  ++mine[i % 64];
  uint64_t expected = i;
  __atomic_compare_exchange_n(&words[i % 4096], &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) static uint64_t stack(uint64_t *p, long n) {
  uint64_t out = 0;
  __asm__ volatile("lea -256(%%rsp),%%rsp\n\tpushq (%1)\n\tpushq 8(%1,%2,8)\n\tpopq 16(%1)\n\tpopq %0\n\tpushfq\n\tpopfq\n\tlea 256(%%rsp),%%rsp"
                   : "+r"(out)
                   : "r"(p), "r"(n)
                   : "memory");
  __asm__ volatile("prefetcht0 (%0)\n\tnopl (%0)\n\tclflush 64(%0)" : : "r"(p));
  return out;
}

static int add(int a) { return a + 1; }
static int twice(int a) { return 2 * a; }
static int (*const table[])(int) = {add, twice};

__attribute__((noinline)) static double floats(const double *d, unsigned n) {
  double sum = 0;
  for (unsigned i = 0; i < n; ++i) sum += d[i] * d[n - 1 - i];
  long double wide = sum;
  return (double)(wide * 2);
}

int main(int argc, char **argv) {
  (void)argv;
  double numbers[200];
  for (unsigned i = 0; i < 200; ++i) numbers[i] = i * argc;
  uint64_t sum = 0;
  for (unsigned i = 0; i < 80; ++i) {
    strings(bytes + 8192 + i * 3, bytes + i * 17, i);
    sum += across(i);
    modify(i);
    sum += stack(words + i * 7, i % 5);
    sum += (uint64_t)table[i % 2]((int)i);
    sum += sum & 1 ? words[i] : words[i + 2000];
  }
  printf("%llu %g %u\n", (unsigned long long)sum, floats(numbers, 200), mine[3]);
  return 0;
}
