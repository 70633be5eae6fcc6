/* Timer signals into loops that keep their counters in registers: handlers that return, that
 * leave by siglongjmp, that dump in between. Wherever they hit, the counts agree.
 * calls: main=1 rounds=101 left=100 returned=100
 * segments: any
 */
#include <chord/chord.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "counted.h"
static sigjmp_buf there;
static volatile sig_atomic_t armed, lefts, returns;
static volatile unsigned long results;
COUNTED void left(void) { TOUCH(); }
COUNTED void returned(void) { TOUCH(); }
COUNTED void handler(int number) {
  (void)number;
  if (!armed) return;
  if (returns <= lefts) {
    if (returns == 100) return;
    if (++returns % 10 == 0) chord_dump();
    returned();
    return;
  }
  armed = 0;
  ++lefts;
  left();
  siglongjmp(there, 1);
}
/* Branches, a nest and a pointer of its own: all ways in which loops count. */
COUNTED unsigned long rounds(const unsigned *words, unsigned long seed) {
  unsigned long sum = 0, x = seed | 1;
  armed = 1;
  while (lefts < 100) {
    for (unsigned i = 0; i < 2000; ++i) {
      if (x & 4)
        x = x * 5 + 3;
      else
        x ^= x >> 7;
      if (x % 3 == 1) sum += x;
    }
    for (const unsigned *p = words; p != words + 300; ++p) sum += *p;
    for (unsigned i = 0; i < 40; ++i)
      for (unsigned long k = i; k < 40; ++k) sum ^= words[k] * x;
    results += sum;
  }
  return sum;
}
int main(void) {
  static unsigned words[300];
  struct itimerval often = {{0, 200}, {0, 200}};
  for (int i = 0; i < 300; ++i) words[i] = (unsigned)i * 2654435761u;
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &often, 0);
  sigsetjmp(there, 1);
  rounds(words, (unsigned long)lefts);
  return 0;
}
