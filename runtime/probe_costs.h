// What the probes of a meter take themselves (chord_gauges.h). Measured where a process enters a module's woven code for the first time, by calling what holds
// nothing but probes; of a few tries the one that took least counts, since other things only add to it. Each group has its own copy.
#pragma once

#include "chord_gauges.h"
#include "runtime.h"
#include "thread_states.h"

// Defined by woven code.
extern "C" int64_t __chord_probe_sample() __attribute__((visibility("hidden")));
extern "C" int64_t __chord_probe_sample_paths() __attribute__((visibility("hidden")));
extern "C" chord_probe_costs __chord_probe_costs __attribute__((visibility("hidden")));

namespace chord::runtime {
namespace {

chord_probe_costs found_costs;
bool costs_are_known;

// Counters may have been set to zero meanwhile: in the child of a fork, at chord_reset().
void tell_probe_costs() {
  if (found_costs.calls != 0) *as_seen(&__chord_probe_costs) = found_costs;
}

void keep_least(uint64_t &least, uint64_t value, bool first) {
  if (first || value < least) least = value;
}

struct ProbeTries {
  uint32_t tries, calls, gauges;
};

// `read(now)` puts a reading of each gauge into `now`. False if somebody else does it, or has done it.
template <class Read>
bool measure_probes(const ProbeTries &how, Read &&read) {
  if (__atomic_exchange_n(&costs_are_known, true, __ATOMIC_RELAXED)) return false;
  chord_probe_costs found = {};
  found.calls = how.calls;
  found.paths = uint64_t{how.calls} * CHORD_PATHS_IN_SAMPLE;
  uint64_t before[CHORD_MOST_GAUGES] = {}, after[CHORD_MOST_GAUGES] = {};
  auto *sums = reinterpret_cast<volatile uint64_t *>(const_cast<char *>(thread_pointer()) + __chord_probe_sample());
  for (uint32_t k = 0; k < how.tries; ++k) {
    for (uint32_t g = 0; g < 3 * how.gauges; ++g) sums[g] = 0;
    read(before);
    for (uint32_t n = 0; n < how.calls; ++n) __chord_probe_sample();
    read(after);
    for (uint32_t g = 0; g < how.gauges; ++g) {
      keep_least(found.of[g].inside, sums[g], k == 0);
      keep_least(found.of[g].outside, after[g] - before[g] - sums[g], k == 0);
    }
    for (uint32_t n = 0; n < how.calls; ++n) __chord_probe_sample_paths();
    for (uint32_t g = 0; g < how.gauges; ++g) keep_least(found.of[g].along, sums[2 * how.gauges + g], k == 0);
  }
  found_costs = found;
  tell_probe_costs();
  return true;
}

}  // namespace
}  // namespace chord::runtime
