// The processor's clock and the kernel's, for the modes that measure (metrics/meter.cc, gauges/gauges.cc). Each group has
// its own copy.
#pragma once

#include "runtime.h"
#include "thread_states.h"

// Defined by woven code: ticks and nanoseconds since counting began. Where counters are each thread's, so are these: only their ratio is used.
extern "C" uint64_t __chord_clock[2] __attribute__((visibility("hidden")));

namespace chord::runtime {
namespace {

uint64_t read_clock() {
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return static_cast<uint64_t>(high) << 32 | low;
}

uint64_t nanoseconds() {
  timespec now;
  kernel(SYS_clock_gettime, CLOCK_MONOTONIC, arg(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// When this module began.
uint64_t began_ticks, began_ns;

void start_clock() {
  if (began_ticks != 0) return;
  began_ticks = read_clock();
  began_ns = nanoseconds();
}

void tell_clock(uint64_t now) {
  uint64_t *clock = as_seen(__chord_clock);
  clock[0] = now - began_ticks;
  clock[1] = nanoseconds() - began_ns;
}

// A process that keeps its counts in a file may not come to tell it any more. After a millisecond it is known well enough.
void keep_clock(const Instance &instance) {
  constexpr uint64_t enough_ns = 1000000;
  if (instance.live == nullptr) return;
  while (nanoseconds() - began_ns < enough_ns) asm volatile("pause");
  tell_clock(read_clock());
}

}  // namespace
}  // namespace chord::runtime
