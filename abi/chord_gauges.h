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

/* Probes take something themselves. Each process measures that once, by calls of a routine that woven code has for it: what is entered and left
 * at once, and on the way out gives the offset of its sums from the thread pointer (for each gauge its own share; then totals; then sums of one path).
 * Counters of the key CHORD_PROBES_KEY tell it: calls and paths that were measured, then for each gauge what the former took inside and
 * outside, and what the latter took. So sums over processes stay what they are. */
#define CHORD_PROBE_SAMPLE_SYMBOL "__chord_probe_sample"
#define CHORD_PROBE_PATHS_SYMBOL "__chord_probe_sample_paths"
#define CHORD_PROBE_SUMS_SYMBOL "__chord_probe_sums"
#define CHORD_PROBE_COSTS_SYMBOL "__chord_probe_costs"
#define CHORD_PROBES_KEY 66
#define CHORD_PATHS_IN_SAMPLE 8
struct chord_probe_costs {
  uint64_t calls, paths;
  struct {
    uint64_t inside, outside, along;
  } of[CHORD_MOST_GAUGES];
};

#endif
