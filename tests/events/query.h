/* Asks for the count and tells it, as `query THREAD COUNT`. What is executed here does
 * not depend on the answer, so a plain build does the same. */
#include <chord/chord.h>
#include <stdio.h>

#define QUERY(thread) fprintf(stderr, "query %d %llu\n", (thread), (unsigned long long)chord_events(CHORD_INSTRUCTIONS))
