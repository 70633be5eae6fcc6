/* Nanoseconds of one chord_events(): queries COUNT. Built with chord --events or without. */
#include <chord/chord.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  unsigned long n = strtoul(argc > 1 ? argv[1] : "100000000", NULL, 10), grown = 0;
  uint64_t first = chord_events(CHORD_INSTRUCTIONS), last = first;
  double begin = seconds();
  for (unsigned long i = 0; i < n; ++i) {
    uint64_t now = chord_events(CHORD_INSTRUCTIONS);
    grown += now > last;
    last = now;
  }
  double took = seconds() - begin;
  /* In a build with events each round of the loop costs the same number of instructions. */
  printf("%.2f ns a query, %lu of %lu grew, %.3f instructions a round\n", 1e9 * took / (double)n, grown, n,
         (double)(last - first) / (double)n);
  return 0;
}
