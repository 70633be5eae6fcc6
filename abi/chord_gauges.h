/* Gauges: what woven code, the runtime and the tool agree on where several readings are taken at once (runtime/gauges/gauges.cc):
 * events that the kernel counts, misses of models, the clock.
 *
 * What is read is in one table of the module, in the order of the sums. What could not be read is told by counters of the key
 * CHORD_GAUGE_KEY: for each gauge, how many threads lacked it, by reason. */
#ifndef CHORD_GAUGES_H
#define CHORD_GAUGES_H

#include <stdint.h>

#define CHORD_GAUGES_SYMBOL "__chord_gauges"
#define CHORD_GAUGE_FAULTS_SYMBOL "__chord_gauge_faults"
#define CHORD_GAUGE_KEY 65
#define CHORD_MOST_GAUGES 8

enum { CHORD_GAUGE_CLOCK = 1, CHORD_GAUGE_EVENT = 2, CHORD_GAUGE_MODEL = 3 };
struct chord_gauge {
  uint32_t kind;   /* CHORD_GAUGE_* */
  uint32_t type;   /* of an event: perf_event_attr::type; of a model: its number (sim/models.cc) */
  uint64_t config; /* of an event: perf_event_attr::config */
};
struct chord_gauges {
  uint64_t count;
  struct chord_gauge gauge[CHORD_MOST_GAUGES];
};
enum { CHORD_FAULT_ABSENT, CHORD_FAULT_FORBIDDEN, CHORD_FAULT_SHARED, CHORD_FAULT_OTHER, CHORD_FAULTS };

#endif
