// Accesses of every kind that addresses are written, or known, of: frames, loops that step through arrays, tables, strings, thread-local data, calls back,
// jumps over frames, handlers that run in between.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  long value;
  short small[3];
};

static int table[64];
static double matrix[12][12], product[12][12];
_Thread_local long per_thread = 3;
static _Thread_local char text[40];
static jmp_buf back;
static volatile long handled;

__attribute__((noinline)) static long walk(const struct node *n) {
  long sum = 0;
  for (; n != NULL; n = n->next) sum += n->value + n->small[1];
  return sum;
}

__attribute__((noinline)) static void multiply(int size) {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      double sum = 0;
      for (int k = 0; k < size; ++k) sum += matrix[i][k] * matrix[k][j];
      product[i][j] = sum;
    }
}

__attribute__((noinline)) static int fill(int *into, int count, int step) {
  int last = 0;
  for (int i = 0; i < count; i += step) into[i] = last = i * 3 + (i & 1 ? into[0] : 0);
  for (int *p = into + count; p-- != into;) last ^= *p;
  return last;
}

__attribute__((noinline)) static long depth(long n) {
  long here[4] = {n, n + 1, n + 2, n + 3};
  if (n == 0) return per_thread++;
  return here[n & 3] + depth(n - 1) + here[1];
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

__attribute__((noinline)) static int choose(int n) {
  switch (n) {
    case 0: return table[1];
    case 1: return table[2] + 1;
    case 2: return table[3] + 2;
    case 3: return table[5] - 1;
    case 4: return table[8] * 2;
    case 5: return table[13] / 3;
    default: return n;
  }
}

__attribute__((noinline)) static long variable(int size) {
  volatile long room[size];
  for (int i = 0; i < size; ++i) room[i] = i;
  return room[size - 1] + room[size / 2];
}

__attribute__((noinline)) static void copy(struct node *to, const struct node *from, char *bytes) {
  *to = *from;
  unsigned long count = 9;
  const char *source = "a text";
  char *target = bytes;
  asm volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
  count = 3;
  asm volatile("rep stosq" : "+D"(target), "+c"(count) : "a"(0L) : "memory");
  asm volatile("lock addq $1, (%0)\n\txchgq %%rax, (%0)" : : "r"(&to->value), "a"(5L) : "memory");
  asm volatile("pushq (%0)\n\tpopq 8(%0)" : : "r"(bytes) : "memory");
}

__attribute__((noinline)) static void leave(int n) {
  volatile int words[8] = {n};
  if (n == 0) longjmp(back, 1);
  leave(words[0] - 1);
}

static void handler(int signal) {
  volatile long own = signal;
  handled += own;
}

int main(void) {
  struct node nodes[5], other;
  long sum = 0;
  for (int i = 0; i < 5; ++i) nodes[i] = (struct node){i < 4 ? &nodes[i + 1] : NULL, i, {1, (short)(2 * i), 3}};
  for (int i = 0; i < 144; ++i) matrix[i / 12][i % 12] = i;
  signal(SIGUSR1, handler);
  multiply(11);
  sum += walk(nodes) + fill(table, 60, 3) + depth(7);
  for (int i = 0; i < 40; ++i) {
    sum += choose(i % 7);
    if (i % 13 == 0) raise(SIGUSR1);
  }
  qsort(table, 20, sizeof table[0], compare);
  sum += variable(9) + variable(3);
  copy(&other, &nodes[2], text);
  volatile int jumps = 0;
  if (setjmp(back) == 0) leave(4);
  else ++jumps;
  int *heap = malloc(100 * sizeof *heap);
  sum += fill(heap, 100, 1) + (long)product[3][4] + jumps + handled + other.value + text[2];
  free(heap);
  printf("%ld\n", sum);
  return 0;
}
